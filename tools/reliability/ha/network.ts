/**
 * Machines of one cluster, each with network and process namespaces of its own. A machine has two links: one to the clients,
 * and one to the other machines. Each can be cut. Linux and root only.
 */

import { command, skipUnless } from "../../../tests/support/system/commands.ts";

/** The two networks, by the first numbers of their addresses. These are reserved for tests (RFC 2544). */
const PREFIXES = { clients: "198.18", cluster: "198.19" } as const;

export type Link = keyof typeof PREFIXES;

const LINKS = Object.keys(PREFIXES) as Link[];

/** Why there can be no such network here, or `false`. */
export const NO_NETWORK: string | false = skipUnless(
  ["ip", "setpriv", "unshare", "setsid"],
  "root, and network namespaces",
  () => {
    command("ip", "netns", "add", `pets-${Deno.pid}`);
    command("ip", "netns", "delete", `pets-${Deno.pid}`);
  },
);

export class Machine {
  readonly name: string;
  readonly #network: Network;
  readonly #number: number;

  constructor(network: Network, name: string, number: number) {
    this.#network = network;
    this.name = name;
    this.#number = number;
  }

  address(link: Link): string {
    return this.#network.address(link, this.#number);
  }

  /** Starts a program in the background; it writes to a log. All of its processes end with it, as in a container. */
  start(log: string, user: string, ...line: string[]): void {
    const namespaces = ["ip", "netns", "exec", this.#network.idOf(this.name), "unshare", "--pid", "--mount-proc"];
    // The shell is process 1: as such, Patroni may wait for its own log for ever (its change 3413).
    const inside = [...namespaces, "--fork", "--kill-child", "sh", "-c", '"$@"; exit', "sh"];
    const all = [...inside, "setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups", ...line];
    command("setsid", "--fork", "sh", "-c", `cd /; exec ${all.map(quote).join(" ")} >>${quote(log)} 2>&1`);
  }

  /** Runs a command to its end, and returns what it writes. */
  run(name: string, ...args: string[]): string {
    return command("ip", "netns", "exec", this.#network.idOf(this.name), name, ...args);
  }

  /** Sends a signal to all processes of this machine. New ones may start meanwhile, so it repeats until there are none. */
  signal(name: "KILL" | "STOP" | "CONT"): void {
    for (let done = new Set<string>();;) {
      const pids = command("ip", "netns", "pids", this.#network.idOf(this.name)).split("\n").filter(Boolean);
      if (pids.every((pid) => done.has(pid))) return;
      // A process may have ended meanwhile.
      new Deno.Command("kill", { args: [`-${name}`, ...pids], stderr: "null" }).outputSync();
      if (name !== "KILL") done = new Set(pids);
    }
  }

  /** Drops everything on a link, without a notice to either side. */
  cut(link: Link): void {
    command("ip", "link", "set", this.#network.portOf(this.name, link), "nomaster");
  }

  join(link: Link): void {
    const { name } = this;
    command("ip", "link", "set", this.#network.portOf(name, link), "master", this.#network.portOf("br", link));
  }
}

export class Network implements Disposable {
  readonly #id: string = freeId();
  #machines = 1;

  /** Makes a network in which this machine has an address among the clients only. */
  constructor(folder: string) {
    this.#endLater(folder);
    for (const link of LINKS) {
      command("ip", "link", "add", this.portOf("br", link), "type", "bridge");
      command("ip", "link", "set", this.portOf("br", link), "up");
    }
    command("ip", "address", "add", `${this.address("clients", 1)}/24`, "dev", this.portOf("br", "clients"));
  }

  /** @param name At most four letters. */
  add(name: string): Machine {
    const machine = new Machine(this, name, ++this.#machines);
    command("ip", "netns", "add", this.idOf(name));
    const inside = (...args: string[]) => command("ip", "-netns", this.idOf(name), ...args);
    inside("link", "set", "lo", "up");
    for (const link of LINKS) {
      const port = this.portOf(name, link);
      command("ip", "link", "add", port, "type", "veth", "peer", "name", link, "netns", this.idOf(name));
      command("ip", "link", "set", port, "up");
      inside("address", "add", `${machine.address(link)}/24`, "dev", link);
      inside("link", "set", link, "up");
      machine.join(link);
    }
    return machine;
  }

  address(link: Link, number: number): string {
    return `${PREFIXES[link]}.${Number.parseInt(this.#id, 16)}.${number}`;
  }

  idOf(machine: string): string {
    return `pets${this.#id}-${machine}`;
  }

  /** Names a port. Linux allows 15 characters. */
  portOf(machine: string, link: Link): string {
    return `${this.idOf(machine)}-${link.slice(0, 3)}`;
  }

  /** A folder in memory, which a program of this machine may make. It goes with the network. */
  memoryOf(machine: string): string {
    return `/dev/shm/${this.idOf(machine)}`;
  }

  [Symbol.dispose](): void {
    command("sh", "-c", this.#ending);
  }

  get #ending(): string {
    const id = `pets${this.#id}-`;
    const all = `ip netns list | grep -o '^${id}[a-z0-9]*'`;
    const ports = `ip -oneline link | grep -o ' ${id}[a-z0-9-]*'`;
    return `for ns in $(${all}); do ip netns pids $ns | xargs -r kill -9; ip netns delete $ns; done
      rm -rf /dev/shm/${id}*
      for port in $(${ports}); do ip link delete $port; done 2>&1 | grep -v 'Cannot find device'; true`;
  }

  /** Ends all when this process has ended, however it ends: also the servers that run in the folder. */
  #endLater(folder: string): void {
    const servers = `for cwd in /proc/[0-9]*/cwd; do case "$(readlink $cwd)" in ${folder}/*)
      pid=\${cwd%/cwd}; kill -9 \${pid#/proc/};; esac; done`;
    const end = `${servers}; ${this.#ending}; sleep 1; rm -rf ${quote(folder)}`;
    const watch = `while kill -0 ${Deno.pid}; do sleep 0.2; done; ${end}`;
    // It has a session of its own, because a signal to the tests may reach all of their processes.
    new Deno.Command("setsid", { args: ["--fork", "sh", "-c", watch], stdout: "null", stderr: "null" }).outputSync();
  }
}

/** Finds two hexadecimal digits that no other network of this machine uses. */
function freeId(): string {
  for (;;) {
    const id = (1 + Math.floor(Math.random() * 254)).toString(16).padStart(2, "0");
    if (!command("ip", "-oneline", "link").includes(`pets${id}-`)) return id;
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
