/** The configurations of Patroni and HAProxy, as docs/scaling.md shows them, but for the times. */

/** A machine of the cluster. */
export interface Host {
  name: string;
  address(link: "clients" | "cluster"): string;
}

export interface Timing {
  /** Patroni's `ttl`, in seconds: so long after the last sign of a primary, another may take over. */
  ttl: number;
  /** Patroni's `retry_timeout`, in seconds. */
  retry: number;
}

export const PORTS = { postgres: 5432, patroni: 8008, etcd: 2379 } as const;

export interface NodeOptions extends Timing {
  /** The folder with PostgreSQL's programs. */
  bin: string;
  /** The folder of this node. */
  folder: string;
}

/** Patroni reads YAML, and JSON is YAML. */
export function patroniConfiguration(node: Host, etcd: Host, options: NodeOptions): string {
  const { ttl, retry, bin, folder } = options;
  const own = node.address("cluster");
  return JSON.stringify({
    scope: "pets",
    name: node.name,
    restapi: { listen: `0.0.0.0:${PORTS.patroni}`, connect_address: `${own}:${PORTS.patroni}` },
    // With etcd3, Patroni before 3.0.3 lets a primary that was paused take the lock back from the one that followed it (its change 2689).
    etcd: { hosts: [`${etcd.address("cluster")}:${PORTS.etcd}`] },
    bootstrap: {
      dcs: {
        ttl,
        loop_wait: 1,
        retry_timeout: retry,
        synchronous_mode: true,
        synchronous_mode_strict: true,
        postgresql: { use_pg_rewind: true, parameters: { max_connections: 100, wal_retrieve_retry_interval: "1s" } },
      },
      initdb: [{ encoding: "UTF8" }, { locale: "C" }, "data-checksums"],
    },
    postgresql: {
      listen: `0.0.0.0:${PORTS.postgres}`,
      connect_address: `${own}:${PORTS.postgres}`,
      bin_dir: bin,
      data_dir: `${folder}/data`,
      pgpass: `${folder}/pgpass`,
      authentication: { superuser: { username: "postgres" }, replication: { username: "replicator" } },
      pg_hba: ["host all all 0.0.0.0/0 trust", "host replication all 0.0.0.0/0 trust", "local all all trust"],
      parameters: { unix_socket_directories: folder, dynamic_shared_memory_type: "mmap" },
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
    },
    watchdog: { mode: "off" },
  });
}

export function haproxyConfiguration(nodes: readonly Host[]): string {
  const servers = nodes.map((node) =>
    `  server ${node.name} ${node.address("clients")}:${PORTS.postgres} check port ${PORTS.patroni}`
  );
  return `
global
  maxconn 500
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 2s
listen primary
  bind *:${PORTS.postgres}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join("\n")}
`;
}
