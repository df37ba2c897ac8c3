/** What happens to a primary, and how it comes back. */

import type { HaCluster } from "./cluster.ts";
import type { Machine } from "./network.ts";

/** The kinds of faults, with their meaning. */
export const FAULTS = {
  killed: "SIGKILL of PostgreSQL and its Patroni",
  paused: "SIGSTOP of all their processes",
  "cut off": "no network at all",
  "cut from the cluster": "no network to etcd and to the other nodes; its clients still reach it",
} as const;

export type FaultKind = keyof typeof FAULTS;

export const FAULT_KINDS = Object.keys(FAULTS) as FaultKind[];

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
