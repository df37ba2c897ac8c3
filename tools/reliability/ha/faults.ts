/** What happens to a primary, and how it comes back. */

import type { HaCluster } from "./cluster.ts";
import type { Machine } from "./network.ts";

/**
 * The faults: SIGKILL of PostgreSQL and its Patroni, SIGSTOP of them, no network at all, and no network to etcd and to
 * the other nodes, in which case its clients still reach it.
 */
export const FAULT_KINDS = ["killed", "paused", "cut off", "cut from the cluster"] as const;

export type FaultKind = typeof FAULT_KINDS[number];

export function inflict(kind: FaultKind, primary: Machine): void {
  if (kind === "killed") primary.signal("KILL");
  else if (kind === "paused") primary.signal("STOP");
  else primary.cut("cluster");
  if (kind === "cut off") primary.cut("clients");
}

/** Undoes a fault. Patroni then makes the node a standby. */
export function mend(kind: FaultKind, node: Machine, cluster: HaCluster): void {
  if (kind === "killed") cluster.startNode(node);
  else if (kind === "paused") node.signal("CONT");
  else node.join("cluster");
  if (kind === "cut off") node.join("clients");
}
