/** The pets that servers have acknowledged, and whether they are kept. Deno only. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { SeenResponse } from "../openapi_validator.ts";
import { type ServerParts, type ServerProcess, walk } from "./server_process.ts";

export type Asked = Pick<ServerProcess, "ask">;

export const KEY = "k";
/** The database's name in the folder that the server is started in. */
export const FILE = "pets.db";
export const ON_FILE: ServerParts = { args: [`--key=${KEY}`, `--store=sqlite:${FILE}`, "--log=off"] };

/** The acknowledged pets, as JSON text by id. Nothing else may ever be shown. */
export class Ledger {
  readonly pets: Map<number, string> = new Map();
  /** How often each status was the response to a create. */
  readonly seen: Map<number, number> = new Map();

  get refused(): number {
    return this.seen.get(503) ?? 0;
  }

  /** Sends a create once and records an acknowledgement. Fails on anything but that and a refusal. */
  async tryCreate(asked: Asked, name = "Rex", key?: string): Promise<boolean> {
    const { status, text } = await this.send(asked, name, key);
    assert.ok(status === 201 || /"code":"(store_unavailable|bad_gateway)"/.test(text), text);
    return status === 201;
  }

  /** The same, with any response. */
  async send({ ask }: Asked, name: string, key?: string): Promise<SeenResponse> {
    const headers = { "content-type": "application/json", ...(key !== undefined && { "idempotency-key": key }) };
    const body = JSON.stringify({ name, categoryId: 7 });
    const response = await ask("/v1/pets", KEY, { method: "POST", headers, body });
    const { status, text } = response;
    this.seen.set(status, (this.seen.get(status) ?? 0) + 1);
    if (status === 503 && key === undefined) assertUnavailable(response);
    if (status !== 201) return response;
    const { id, ...pet } = JSON.parse(text);
    assert.ok(!this.pets.has(id), `the id ${id} was given twice`);
    assert.deepEqual(pet, { name, categoryId: 7, status: "available" });
    this.pets.set(id, text);
    return response;
  }

  /** Creates with keys until `isDone`. Repeats each create, on any server, until it is acknowledged. */
  async createOnAndOn(servers: readonly Asked[], tag: string, isDone: () => boolean): Promise<void> {
    for (let i = 0; !isDone(); i++) {
      const name = `${tag}.${i}`;
      let at = i;
      while (!await this.tryCreate(servers[at % servers.length]!, name, name.slice(0, 255))) {
        at++;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  async create(server: Asked, name?: string): Promise<void> {
    assert.ok(await this.tryCreate(server, name), "a create was refused");
  }

  async assertRefused(server: Asked): Promise<void> {
    assert.ok(!await this.tryCreate(server), "a create was acknowledged");
  }

  /** The acknowledged pets by id. */
  inOrder(): { id: number; name: string }[] {
    const ids = [...this.pets.keys()].sort((one, other) => one - other);
    return ids.map((id) => JSON.parse(this.pets.get(id)!));
  }

  /** The list and each pet by its id show the acknowledged pets and nothing else. */
  async assertShown({ ask }: Asked): Promise<void> {
    assert.deepEqual(await walk(KEY, { ask }), this.inOrder());
    for (const [id, text] of this.#some()) assert.equal((await ask(`/v1/pets/${id}`, KEY)).text, text);
  }

  /** Each response is right or a refusal. Returns the number of refusals. */
  async countRefusedReads({ ask }: Asked): Promise<number> {
    let refused = 0;
    for (const [id, text] of this.#some()) {
      const response = await ask(`/v1/pets/${id}`, KEY);
      if (response.status === 503) {
        assertUnavailable(response);
        refused++;
      } else {
        assert.equal(response.text, text);
      }
    }
    return refused;
  }

  /** The file is sound and has exactly the acknowledged pets. */
  assertInFile(path: string): void {
    using db = new DatabaseSync(path);
    assert.deepEqual({ ...db.prepare("PRAGMA integrity_check").get() }, { integrity_check: "ok" });
    const rows = db.prepare("SELECT id, name FROM pets ORDER BY id").all().map(({ id, name }) => ({ id, name }));
    assert.deepEqual(rows, this.inOrder().map(({ id, name }) => ({ id, name })));
  }

  /** Chooses at most a hundred, spread evenly, with the first and the last. */
  #some(): [number, string][] {
    const all = [...this.pets];
    const step = Math.max(1, Math.floor(all.length / 98));
    return all.filter((_, i) => i % step === 0 || i === all.length - 1);
  }
}

/** A refusal exactly as documented. */
function assertUnavailable({ headers, text }: SeenResponse): void {
  assert.equal(JSON.parse(text).code, "store_unavailable");
  assert.match(headers.get("retry-after") ?? "", /^\d+$/);
}
