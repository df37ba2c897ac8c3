/** The commands that manage API keys, and what servers make of them. */

import assert from "node:assert/strict";
import { until } from "../until.ts";
import { runHere } from "./in_process.ts";
import type { ServerProcess } from "./server_process.ts";

interface ListedKey extends Record<"id" | "label" | "caller" | "state" | "created", string> {
  readOnly: boolean;
  expires?: string;
}

/** The commands in the present folder, for one store. */
export function keysOf(store: string) {
  const run = (...args: string[]) => runHere(["keys", ...args], { PETSTORE_STORE: store });
  const succeed = async (...args: string[]) => {
    const { status, stdout, stderr } = await run(...args);
    assert.equal(status, 0, stderr);
    return stdout;
  };
  const add = async (...args: string[]) => (await succeed("add", ...args)).trim();
  const list = async (): Promise<ListedKey[]> => JSON.parse(await succeed("list", "--json"));
  const idOf = async (label: string) => (await list()).findLast((key) => key.label === label)!.id;
  return { run, succeed, add, list, idOf };
}

type Asked = Pick<ServerProcess, "ask">;

export async function statusOf({ ask }: Asked, key: string): Promise<number> {
  return (await ask("/v1/pets", key)).status;
}

/** Waits until a server answers so. It follows within a second; the test waits for longer. */
export function follows(server: Asked, key: string, status: number): Promise<void> {
  return until(`${status}`, async () => await statusOf(server, key) === status);
}
