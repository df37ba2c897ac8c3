/** The commands that manage API keys, in the present folder, and what servers make of them. */

import { until } from "../until.ts";
import { succeed } from "./pet_files.ts";
import type { ServerProcess } from "./server_process.ts";

interface ListedKey extends Record<"id" | "label" | "caller" | "state" | "created", string> {
  readOnly: boolean;
  expires?: string;
}

export async function addKey(flags: string): Promise<string> {
  return (await succeed(`keys add ${flags}`)).trim();
}

export async function listKeys(): Promise<ListedKey[]> {
  return JSON.parse(await succeed("keys list --json"));
}

export async function idOf(label: string): Promise<string> {
  return (await listKeys()).findLast((key) => key.label === label)!.id;
}

type Asked = Pick<ServerProcess, "ask">;

export async function statusOf({ ask }: Asked, key: string): Promise<number> {
  return (await ask("/v1/pets", key)).status;
}

/** Waits until a server answers so. It follows within a second; the test waits for longer. */
export function follows(server: Asked, key: string, status: number): Promise<void> {
  return until(`${status}`, async () => await statusOf(server, key) === status);
}
