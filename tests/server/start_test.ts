import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { parseResponse } from "../support/http/message.ts";
import { addPet, countPets, readKey, withFreshServer, withServer } from "../support/server/server_process.ts";
import { environment, serverCommand } from "../support/server/serve_task.ts";
import { Child } from "../support/system/child.ts";
import { withTempFolder } from "../support/temp.ts";
import { hasCommand, testUnless } from "../support/system/commands.ts";

function shell(folder: string, line: string): string {
  return new TextDecoder().decode(new Deno.Command("sh", { args: ["-c", line], cwd: folder }).outputSync().stdout);
}

test("the first start makes a key for its owner alone and shows it with a curl line", () =>
  withFreshServer({}, async (server, folder) => {
    const key = readKey(folder);
    assert.match(key, /^petstore_[0-9A-Za-z]{36}$/);
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
      // With its head, so that this response is validated too.
      const response = parseResponse(shell(folder, `curl() { command curl --include "$@"; }\n${line}`));
      server.validate("GET", "/v1/pets", response);
      assert.deepEqual([response.status, response.text], [200, "[]"]);
    }),
);

for (
  const [what, env] of [["in colour on a terminal", {}], ["plain on it with NO_COLOR", { NO_COLOR: "1" }]] as const
) {
  testUnless(hasCommand("script") ? false : "there is no script(1)")(
    `the greeting is ${what}, with the same text`,
    () =>
      withTempFolder(async (folder) => {
        // Without the tests' own NO_COLOR.
        const { NO_COLOR: _, ...others } = environment();
        const line = [...serverCommand(), "--port=0", "--key=k", "--store=memory:"].map((word) => `'${word}'`).join(
          " ",
        );
        const options = { cwd: folder, clearEnv: true, env: { ...others, ...env } };
        await using child = new Child("script", ["-qefc", `exec ${line}`, "/dev/null"], options);
        const [greeting] = await child.printed(/^[^]*\/v1\/pets[^\n]*\n/);
        // deno-lint-ignore no-control-regex
        const plain = greeting.replaceAll("\r\n", "\n").replaceAll(/\x1b\[\d+m/g, "");
        assert.equal(plain === greeting.replaceAll("\r\n", "\n"), "NO_COLOR" in env);
        const port = /:(\d+)\/v1$/m.exec(plain)?.[1];
        await withServer(folder, { args: ["--key=k", "--store=memory:"] }, ({ port: other, written }) => {
          assert.equal(plain.replaceAll(`:${port}`, ":…"), written.stdout.replaceAll(`:${other}`, ":…"));
          assert.ok(!written.stdout.includes("\x1b"));
        });
      }),
  );
}

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
