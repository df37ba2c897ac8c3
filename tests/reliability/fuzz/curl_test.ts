import { openApiOf } from "../../support/descriptions.ts";
import assert from "node:assert/strict";
import fc from "fast-check";
import { createPetstore } from "../../../mod.ts";
import { formatCurl } from "./curl.ts";
import { MALFORMED_CASES } from "./generators/malformed.ts";
import { sequences } from "./generators/steps.ts";
import { type Handle, IN_PROCESS } from "./host.ts";
import { type Draft, Memory } from "./request.ts";
import { formatFinding, search } from "./search.ts";
import { KEY, MAX_BODY_BYTES } from "./settings.ts";
import { SOCKET } from "./socket_host.ts";
import { FUZZED_STORES } from "./stores.ts";
import { Tally } from "./tally.ts";
import { withOtherBytes, withOtherUrl } from "./defects.ts";
import { createResponseValidator } from "../../support/openapi_validator.ts";
import { parseResponse } from "../../support/http/message.ts";
import { hasCommand, testUnless } from "../../support/system/commands.ts";
import { withDenoServe } from "../../support/http/deno_serve.ts";

/** Any seed finds each defect, but some take ten times as long. */
const SEED = 20301212;
const OPTIONS = { maxBodyBytes: MAX_BODY_BYTES };

const test = testUnless(hasCommand("curl") ? false : "there is no curl");

function withServed<T>(wrap: (handle: Handle) => Handle, use: (origin: string) => Promise<T>): Promise<T> {
  const { handle } = createPetstore({ keys: [KEY], ...OPTIONS });
  return withDenoServe(wrap(handle), (port) => use(`http://127.0.0.1:${port}`));
}

async function runLine(line: string) {
  const { stdout } = await new Deno.Command("sh", { args: ["-c", line], stderr: "null" }).output();
  return parseResponse(new TextDecoder().decode(stdout));
}

type Defect = [what: string, wrap: (handle: Handle) => Handle, line: RegExp];

const DEFECTS: Defect[] = [
  ["clamps a limit", withOtherUrl((url) => url.replace(/limit=10[1-9]/, "limit=100")), /^curl -s -i .*limit=10[12]/],
  [
    "replaces a byte that is not UTF-8 by a question mark",
    withOtherBytes((byte) => byte === 0xff ? 0x3f : byte),
    /^printf '.*\\377.*' \| curl -s -i -X POST .*--data-binary @-/,
  ],
];

for (const [what, wrap, expected] of DEFECTS) {
  test(`the curl line for a petstore that ${what} shows the defect`, async () => {
    const extent = { seed: SEED, sequences: 2000 };
    const ground = { host: IN_PROCESS, stores: FUZZED_STORES.slice(0, 1), tally: new Tally(), wrap };
    const finding = await search(ground, extent);
    assert.ok(finding, "the defect was not found");
    const repeat = (origin: string) => {
      const printed = formatFinding(finding, extent, origin);
      const [line = "", ...others] = printed.split("\n").filter((line) => /^(curl|printf) /.test(line));
      assert.match(line, expected);
      assert.deepEqual(others, []);
      return runLine(line);
    };
    const responses = [await withServed(wrap, repeat), await withServed((handle) => handle, repeat)];
    // The line shows the search's response with the defect and the predicted one without.
    const [seen, foretold] = responses.map(({ status, text }) => /"code":"(\w+)"/.exec(text)?.[1] ?? String(status));
    assert.notEqual(seen, foretold);
    assert.ok(finding.problem.includes(` is ${seen}, foretold was `), finding.problem);
    assert.match(finding.problem, new RegExp(`foretold was (\\d+ )?${foretold}`));
  });
}

test(`a curl line gets the same response as its request`, async () => {
  const steps = fc.sample(sequences(SOCKET), { seed: SEED, numRuns: 4 }).flat();
  const drafts = steps.filter((step): step is Draft => !("bytes" in step)).map((draft) => new Memory().resolve(draft));
  assert.ok(drafts.length > 40, `only ${drafts.length} requests`);
  const { handle } = createPetstore({ keys: [KEY], ...OPTIONS });
  const direct = await SOCKET.connect(handle, createResponseValidator(openApiOf(OPTIONS), "/v1"));
  try {
    await withServed((handle) => handle, async (origin) => {
      for (const draft of drafts) {
        const line = formatCurl(draft, origin);
        const [{ response }, repeated] = [await direct.exchange(draft), await runLine(line)];
        assert.deepEqual([repeated.status, repeated.text], [response.status, response.text], line);
      }
    });
  } finally {
    await direct.close();
  }
});

test(`a curl line for malformed bytes sends them unchanged`, () =>
  withServed((handle) => handle, async (origin) => {
    const malformed = MALFORMED_CASES.find(({ what }) => what === "another version");
    assert.ok(malformed);
    assert.equal((await runLine(formatCurl(malformed, origin))).status, 400);
  }));
