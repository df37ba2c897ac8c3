/** The standalone server as a process: its first start, its keys, its settings and its log. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { VERSION } from "../../lib/version.ts";
import { exchange } from "../support/raw_socket.ts";
import { addPet, countPets, runServer, withServer } from "../support/server_process.ts";
import { withTempFolder } from "../support/temp.ts";

const HAS_CURL = await succeeds("curl", "--version");

async function succeeds(name: string, ...args: string[]): Promise<boolean> {
  try {
    return (await new Deno.Command(name, { args, stdout: "null", stderr: "null" }).output()).success;
  } catch {
    return false;
  }
}

async function shell(folder: string, line: string, env: Record<string, string> = {}): Promise<string> {
  const { stdout } = await new Deno.Command("sh", { args: ["-c", line], cwd: folder, env, stderr: "null" }).output();
  return new TextDecoder().decode(stdout);
}

function readKey(folder: string): string {
  return Deno.readTextFileSync(join(folder, "data", "api-key")).trim();
}

/** Checks that the log has so many lines, one for each request, and nothing but what a line has. */
function assertLog(stdout: string, expected: string[]): void {
  const lines = stdout.split("\n").filter((line) => /^\d{4}-/.test(line));
  const seen = lines.map((line) => /^\S+Z 127\.0\.0\.1 (.+) \d+\.\dms$/.exec(line)?.[1] ?? line);
  assert.deepEqual(seen, expected);
}

test("the first start makes a key for its owner alone and shows it with a curl line", () =>
  withTempFolder((folder) =>
    withServer(folder, {}, async (server) => {
      const key = readKey(folder);
      assert.match(key, /^pk_[0-9a-f]{64}$/);
      assert.equal((Deno.statSync(join(folder, "data", "api-key")).mode ?? 0) & 0o777, 0o600);
      assert.equal((Deno.statSync(join(folder, "data")).mode ?? 0) & 0o777, 0o700);
      assert.ok(server.written.stdout.includes(key));
      assert.match(server.written.stdout, /^ {2}try +curl .*\/v1\/pets$/m);
      assert.equal((await server.ask("/v1/pets", key)).status, 200);
      assert.equal(server.written.stderr, "");
    })
  ));

test("the line to try, pasted into a shell, gives curl the key and the address", () =>
  withTempFolder((folder) =>
    withServer(folder, {}, async (server) => {
      const [, line = ""] = await server.printed(/^ {2}try +(.*)$/m);
      // A stand-in shows what the shell makes of the line, on machines without curl too.
      const seen = await shell(folder, `curl() { printf '%s\\n' "$@"; }\n${line}`);
      assert.deepEqual(seen.trim().split("\n"), [
        "-H",
        `Authorization: Bearer ${readKey(folder)}`,
        `${server.origin}/v1/pets`,
      ]);
    })
  ));

test(
  "the line to try works with curl",
  { skip: HAS_CURL ? false : "there is no curl here" },
  () =>
    withTempFolder((folder) =>
      withServer(folder, {}, async (server) => {
        const [, line = ""] = await server.printed(/^ {2}try +(.*)$/m);
        assert.equal(await shell(folder, line), "[]");
      })
    ),
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

test("the description and the probes are answered without a key, and HEAD as GET", () =>
  withTempFolder((folder) =>
    withServer(folder, {}, async (server) => {
      for (const path of ["/openapi.json", "/livez", "/readyz"]) {
        const { status, headers, text } = await server.ask(path, null);
        assert.equal(status, 200, path);
        assert.equal(headers.get("access-control-allow-origin"), path === "/openapi.json" ? "*" : null);
        if (path === "/openapi.json") assert.ok(Object.keys(JSON.parse(text).paths).includes("/pets"));
        else assert.equal(text, '{"status":"ok"}');
        const head = await exchange(server.port, `HEAD ${path} HTTP/1.0\r\n\r\n`, "HEAD");
        assert.equal(head?.headers.get("content-length"), String(new TextEncoder().encode(text).length), path);
        assert.equal((await server.ask(path, null, { method: "DELETE" })).status, 405, path);
      }
      for (const path of ["/", "/livez/", "/metrics", "/v1", "/data/api-key", "/..%2fdata/api-key"]) {
        assert.equal((await server.ask(path, null)).status, 401, path);
        assert.equal((await server.ask(path, readKey(folder))).status, 404, path);
      }
    })
  ));

test("the log has a line for every request, with its status, and never a key", () =>
  withTempFolder((folder) =>
    withServer(folder, {}, async (server) => {
      const key = readKey(folder);
      const start = server.written.stdout;
      await addPet(server, key);
      await server.ask("/v1/pets?limit=5", key);
      await server.ask("/v1/pets/7", "pk_wrong");
      await server.ask("/livez", null);
      await exchange(server.port, "BREW /%0a%1b[31m HTTP/1.1\r\nHost: x\r\n\r\n");
      assert.equal(await server.stop(), 0);
      const log = server.written.stdout.slice(start.length);
      assertLog(log, [
        "POST /v1/pets 201",
        "GET /v1/pets?limit=5 200",
        "GET /v1/pets/7 401",
        "GET /livez 200",
        "BREW /%0a%1b[31m 401",
      ]);
      assert.ok(!(log + server.written.stderr).includes(key) && !log.includes("pk_wrong"));
    })
  ));

for (
  const [what, parts] of [
    ["--no-access-log", { args: ["--no-access-log"] }],
    ["PETSTORE_ACCESS_LOG=off", { env: { PETSTORE_ACCESS_LOG: "off" } }],
  ] as const
) {
  test(`${what} turns the log off`, () =>
    withTempFolder((folder) =>
      withServer(folder, { ...parts, args: [...("args" in parts ? parts.args : [])] }, async (server) => {
        await addPet(server, readKey(folder));
        assert.equal(await server.stop(), 0);
        assertLog(server.written.stdout, []);
      })
    ));
}

test("flags win over the environment", () =>
  withTempFolder((folder) => {
    const env = {
      PORT: "1",
      PETSTORE_HOSTNAME: "192.0.2.1",
      PETSTORE_KEYS: "environment",
      PETSTORE_STORE: "sqlite:nowhere/pets.db",
      PETSTORE_CORS_ORIGINS: "https://environment.example",
      PETSTORE_ACCESS_LOG: "off",
    };
    const args = [
      ...["--port=0", "--hostname=localhost", "--key=flag", "--key", "second", "--store=memory:"],
      ...["--cors-origin=https://flag.example", "--access-log"],
    ];
    return withServer(folder, { args, env }, async (server) => {
      for (const key of ["flag", "second"]) assert.equal((await server.ask("/v1/pets", key)).status, 200);
      assert.equal((await server.ask("/v1/pets", "environment")).status, 401);
      for (const [name, granted] of [["flag", true], ["environment", false]] as const) {
        const origin = `https://${name}.example`;
        const { headers } = await server.ask("/v1/pets", "flag", { headers: { origin } });
        assert.equal(headers.get("access-control-allow-origin"), granted ? origin : null);
      }
      assert.equal(await server.stop(), 0);
      assertLog(server.written.stdout, [200, 200, 401, 200, 200].map((status) => `GET /v1/pets ${status}`));
      assert.deepEqual([...Deno.readDirSync(folder)], []);
    });
  }));

test("the environment is enough, and a key may be known by its digest alone", () =>
  withTempFolder(async (folder) => {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode("secret")));
    const env = {
      PORT: "0",
      PETSTORE_HOSTNAME: "::1",
      PETSTORE_KEYS: `plain, sha256:${digest.toHex()}`,
      PETSTORE_STORE: "memory:",
      PETSTORE_CORS_ORIGINS: "*",
    };
    await withServer(folder, { env }, async (server) => {
      assert.match(server.origin, /^http:\/\/\[::1\]:\d+$/);
      for (const key of ["plain", "secret", "secret"]) assert.equal((await server.ask("/v1/pets", key)).status, 200);
      for (const key of [`sha256:${digest.toHex()}`, "plain,", null]) {
        assert.equal((await server.ask("/v1/pets", key)).status, 401);
      }
      const { headers } = await server.ask("/v1/pets", "plain", { headers: { origin: "https://a.example" } });
      assert.equal(headers.get("access-control-allow-origin"), "*");
      assert.ok(!server.written.stdout.includes("plain") && !server.written.stdout.includes("secret"));
    });
  }));

test("--help and --version are printed, and nothing is started or written", () =>
  withTempFolder(async (folder) => {
    const config = JSON.parse(Deno.readTextFileSync(new URL("../../deno.json", import.meta.url)));
    assert.equal(VERSION, config.version);
    const version = await runServer(folder, { args: ["--version"] });
    assert.deepEqual(version, { status: 0, stdout: `petstore ${VERSION}\n`, stderr: "" });
    const help = await runServer(folder, { args: ["--help", "--port=1"] });
    assert.deepEqual([help.status, help.stderr], [0, ""]);
    const { tasks } = config;
    const [, names = ""] = /--allow-env=(\S+)/.exec(tasks.serve.command) ?? [];
    for (const name of names.split(",")) assert.ok(help.stdout.includes(name), name);
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  }));

test("a client cannot write into the log what it likes", () =>
  withTempFolder((folder) =>
    withServer(folder, { args: ["--key=k"] }, async (server) => {
      const start = server.written.stdout.length;
      // A Host header with a path in it, control characters of a terminal, line ends of a log's reader.
      await exchange(server.port, "GET /v1/pets HTTP/1.1\r\nHost: a/x 200 0.1ms\r\n\r\n");
      await exchange(server.port, "GET /v1/\u009b31m\u0085\u2028\u202e HTTP/1.1\r\nHost: a\r\n\r\n");
      assert.equal(await server.stop(), 0);
      const lines = server.written.stdout.slice(start).trimEnd().split("\n");
      assert.equal(lines.length, 2);
      for (const line of lines) assert.match(line, /^\S+Z 127\.0\.0\.1 GET [^\p{C}\p{Z}]+ 4\d\d \d+\.\dms$/u);
    })
  ));

test("a Host header does not change which path is asked for", () =>
  withTempFolder((folder) =>
    withServer(folder, { args: ["--key=k"] }, async ({ port }) => {
      // Deno.serve joins the header and the target to a URL. RFC 9112 §3.2 wants 400 for such a header.
      const answer = await exchange(port, "GET /v1/pets HTTP/1.1\r\nHost: a/livez?\r\n\r\n");
      assert.ok(answer?.status === 400 || answer?.status === 401, `${answer?.status} ${answer?.text}`);
    })
  ));
