import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, type Outcome } from "../../../tests/support/http/client.ts";
import { testRounds } from "../shared/round_tests.ts";
import { runDrainRound } from "./tool.ts";

testRounds(
  "drain",
  "SIGTERM under full load cuts no response, and all that is stored was acknowledged",
  runDrainRound,
  [
    ...["acknowledged", "reads", "refused"],
  ],
);

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
