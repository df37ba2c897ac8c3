/** `--faults`: requests to the server that fail on purpose. */

import assert from "node:assert/strict";
import { readSettings, test, withFreshServerHere } from "../support/server/in_process.ts";
import { KEY } from "../support/server/ledger.ts";
import { ON_NODE } from "../support/server/serve_task.ts";
import { PET } from "../support/server/server_process.ts";

test("--faults loses the response of a create, and the log has the create, a line for the start and no stack trace", () => {
  const args = [`--key=${KEY}`, "--store=memory:", "--log=json", "--faults=lose=1,times=1,operations=createPet"];
  return withFreshServerHere({ args }, async (server) => {
    for (const path of ["/livez", "/v1/pets"]) assert.equal((await server.ask(path, KEY)).status, 200);
    const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
    // Deno's own fetch() repeats a create whose kept connection ends, so each gets a new one.
    using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
    const create = () => fetch(`${server.origin}/v1/pets`, { method: "POST", headers, body: PET, client });
    await assert.rejects(create().then((response) => response.text()));
    assert.equal((await (await create()).json()).id, 2);
    assert.equal(await server.stop(), 0);
    const lines = server.written.stderr.trimEnd().split("\n").map((line) => JSON.parse(line).message);
    const told = 'some requests fail on purpose: {"lose":1,"times":1,"operations":["createPet"]}';
    // Node has no line for what it cuts.
    assert.deepEqual(lines, ON_NODE ? [told] : [told, "The connection was cut, which is a fault on purpose"]);
    assert.match(server.written.stdout, /"method":"POST".*"status":201.*"fault":"lose"/);
  });
});

test("--faults has the options of withFaults(), and refuses others", () => {
  const read = (text: string) => readSettings([`--faults=${text}`]).faults;
  assert.deepEqual(read("delay=0.25,delayMs=30,cut=.5,seed=7"), { delay: 0.25, delayMs: 30, cut: 0.5, seed: 7 });
  assert.deepEqual(read("lose=1, operations=createPet+getPet"), { lose: 1, operations: ["createPet", "getPet"] });
  for (const wrong of ["lose=0x1", "0.1", "lose=1,operations=createPet,getPet", "loose=1"]) {
    assert.throws(() => read(wrong), /^SettingError: --faults: (Option|Unknown option|\S+ has no) /, wrong);
  }
});
