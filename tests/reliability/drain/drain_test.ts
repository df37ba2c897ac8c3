import assert from "node:assert/strict";
import { test } from "node:test";
import { runDrainRound } from "./round.ts";
import { Client, type Outcome } from "../../support/http/client.ts";
import { newSeed } from "../../support/random.ts";
import { runRounds } from "../shared/rounds.ts";
import { withTempFolder } from "../../support/temp.ts";

for (const workers of [1, 2]) {
  test(`three times SIGTERM under full load and --workers ${workers} cut no response, and all that is stored was acknowledged`, () =>
    withTempFolder(async (folder) => {
      const options = { store: "sqlite" as const, workers, rounds: 3, clients: 32, within: 150, seed: newSeed() };
      const report = await runRounds({ ...options, folder, run: (stage) => runDrainRound(stage, options) });
      assert.deepEqual(
        report.findings,
        [],
        `deno task reliability drain --workers ${workers} --rounds 3 --within 150 --seed ${options.seed}`,
      );
      assert.equal(report.rounds.length, 3);
      for (const figures of report.rounds) {
        assert.ok(figures.acknowledged > 0 && figures.reads > 0);
        // All clients worked until no server answered.
        assert.ok(figures.refused >= options.clients);
      }
    }));
}

const HEAD = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n";

/** The bytes that a server writes before it closes, and the outcome for its client. */
const RESPONSES: readonly (readonly [what: string, written: string, outcome: Outcome["kind"]])[] = [
  ["a whole response", `${HEAD}\r\nwhole`, "answered"],
  ["a head alone", `${HEAD}\r\n`, "cut"],
  ["half a head", HEAD, "cut"],
  ["one byte", "H", "cut"],
  ["all but one byte", `${HEAD}\r\nwhol`, "cut"],

  ["nothing", "", "unanswered"],
];

for (const [what, written, kind] of RESPONSES) {
  test(`a client to whom a server wrote ${what} takes its request for ${kind}`, async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    using client = new Client(listener.addr.port);
    const outcome = client.send("GET / HTTP/1.1\r\n\r\n");
    {
      using accepted = await listener.accept();
      await accepted.read(new Uint8Array(100));
      await accepted.write(new TextEncoder().encode(written));
    }
    assert.equal((await outcome).kind, kind);
  });
}

test("a client whose request was not read to its end takes it for unsent", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  using client = new Client(port);
  await client.connect();
  const accepted = await listener.accept();
  // More than the system buffers.
  const outcome = client.send("x".repeat(32 * 1024 * 1024));
  await accepted.read(new Uint8Array(1));
  accepted.close();
  assert.equal((await outcome).kind, "unsent");
  listener.close();
  assert.equal((await client.send("x")).kind, "refused");
});
