import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { parseResponse } from "../support/http/message.ts";
import { addPet, countPets, readKey, withFreshServer, withServer } from "../support/server/server_process.ts";
import { withTempFolder } from "../support/temp.ts";
import { hasCommand, testUnless } from "../support/system/commands.ts";

function shell(folder: string, line: string): string {
  return new TextDecoder().decode(new Deno.Command("sh", { args: ["-c", line], cwd: folder }).outputSync().stdout);
}

test("the first start makes a key for its owner alone and shows it with a curl line", () =>
  withFreshServer({}, async (server, folder) => {
    const key = readKey(folder);
    assert.match(key, /^pk_[0-9a-f]{64}$/);
    assert.equal((Deno.statSync(join(folder, "data", "api-key")).mode ?? 0) & 0o777, 0o600);
    assert.equal((Deno.statSync(join(folder, "data")).mode ?? 0) & 0o777, 0o700);
    assert.ok(server.written.stdout.includes(key));
    assert.match(server.written.stdout, /^ {2}try +curl .*\/v1\/pets$/m);
    assert.equal((await server.ask("/v1/pets", key)).status, 200);
    assert.equal(server.written.stderr, "");
  }));

test("the line to try, pasted into a shell, gives curl the key and the address", () =>
  withFreshServer({}, async (server, folder) => {
    const [, line = ""] = await server.printed(/^ {2}try +(.*)$/m);
    // A stand-in for curl shows its arguments, on machines without curl too.
    const seen = shell(folder, `curl() { printf '%s\\n' "$@"; }\n${line}`);
    assert.deepEqual(seen.trim().split("\n"), [
      "-H",
      `Authorization: Bearer ${readKey(folder)}`,
      `${server.origin}/v1/pets`,
    ]);
  }));

testUnless(hasCommand("curl") ? false : "there is no curl")(
  "the line to try works with curl",
  () =>
    withFreshServer({}, async (server, folder) => {
      const [, line = ""] = await server.printed(/^ {2}try +(.*)$/m);
      // With its head, so that this answer is validated too.
      const answer = parseResponse(shell(folder, `curl() { command curl --include "$@"; }\n${line}`));
      server.validate("GET", "/v1/pets", answer);
      assert.deepEqual([answer.status, answer.text], [200, "[]"]);
    }),
);

test("the second start takes the same key and does not show it, and the pets are still there", () =>
  withTempFolder(async (folder) => {
    await withServer(folder, {}, async (server) => {
      await addPet(server, readKey(folder));
      assert.equal(await server.stop(), 0);
    });
    const key = readKey(folder);
    await withServer(folder, {}, async (server) => {
      assert.equal(await countPets(server, key), 1);
      await addPet(server, key);
      assert.equal(await server.stop(), 0);
      assert.ok(!(server.written.stdout + server.written.stderr).includes(key));
    });
    assert.equal(readKey(folder), key);
  }));
