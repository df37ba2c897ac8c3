/** The package for JSR, and what JSR's score asks of it. */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import process from "node:process";
import test from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import root from "../../../deno.json" with { type: "json" };
import { serveCheckout } from "../../support/http/deno_serve.ts";
import { withTempFolder } from "../../support/temp.ts";
import { PACKAGES, RELEASED, ROOT } from "./support/project.ts";
import { start, succeed } from "./support/run.ts";

test("a Deno project elsewhere uses a checkout by links, and its types pass with the settings of a new project", () =>
  withTempFolder(async (folder) => {
    const name = "@petstore/petstore";
    const config = { links: [ROOT], imports: { [name]: `jsr:${name}@${root.version}` } };
    writeFileSync(join(folder, "deno.json"), JSON.stringify(config));
    const imports = Object.keys(root.exports).map((entry) => `import "${name}${entry.slice(1)}";\n`);
    writeFileSync(join(folder, "all.ts"), imports.filter((line) => !line.includes("/server")).join(""));
    const env = { HOME: folder, DENO_DIR: join(folder, "cache") };
    await succeed(process.execPath, ["check", "--no-remote", "all.ts"], folder, env);
    await succeed(process.execPath, ["run", "--no-remote", "--allow-env", "all.ts"], folder, env);
  }));

/** The step of docs/releasing.md, in the copy that the rehearsal has released. */
test("a dry run of publishing to JSR finds no fault and no slow types in any package", async () => {
  const args = ["task", "publish", "--dry-run"];
  const { stdout, stderr } = await withTempFolder((HOME) => succeed(process.execPath, args, RELEASED, { HOME }));
  const printed = stdout + stderr;
  assert.equal(printed.match(/Success Dry run complete/g)?.length, PACKAGES.length);
  // The one warning allowed: the store on PostgreSQL is loaded only when it is needed.
  const warnings = printed.match(/^warning.*\n.*/gm) ?? [];
  for (const warning of warnings) assert.match(warning, /unanalyzable-dynamic-import[^]*lib\/server\/store_setting\//);
  assert.doesNotMatch(printed, /slow-type|missing-/i);
  const taken = Array.from(
    printed.matchAll(/^ +(file:\S+) \(/gm),
    ([, url = ""]) => relative(RELEASED, fileURLToPath(url)),
  );
  for (const { folder, config: { exports } } of PACKAGES) {
    for (const path of typeof exports === "string" ? [exports] : Object.values(exports)) {
      assert.ok(taken.includes(join(folder, path)), join(folder, path));
    }
    for (const path of ["README.md", "LICENSE", "deno.json"]) {
      assert.ok(taken.includes(join(folder, path)), join(folder, path));
    }
  }
  // Nothing that only this repository needs.
  assert.deepEqual(taken.filter((path) => /(^|\/)(tests|tools|node_modules|npm|data|dist|\.[a-z]+)\//.test(path)), []);
});

test("the program that JSR has serves pets, and the page with its scripts", () =>
  withTempFolder(async (folder) => {
    await using server = serveCheckout();
    const host = `127.0.0.1:${server.addr.port}`;
    const program = `http://${host}/${root.exports["./server"]}`;
    const permissions = ["net", "read", "write", "sys=uid", "env", `import=${host}`].map((name) => `--allow-${name}`);
    const args = ["run", "--quiet", "--no-prompt", ...permissions, program, "serve", "--port=0"];
    await using petstore = start(process.execPath, args, folder);
    const [, origin] = await petstore.printed(/listens on (http:\S+)\/v1$/m);
    await petstore.printed(/^ {2}try .*$/m);
    const key = readFileSync(join(folder, "data", "api-key"), "utf8").trim();
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const pet = { method: "POST", headers, body: '{"name":"Rex","categoryId":9223372036854775807}' };
    assert.equal((await (await fetch(`${origin}/v1/pets`, pet)).json()).id, 1);
    const [, script] = /src="(\S+\/swagger-ui-bundle\.js)"/.exec(await (await fetch(`${origin}/docs`)).text()) ?? [];
    assert.match(await (await fetch(`${origin}/${script}`)).text(), /SwaggerUIBundle/);
    assert.equal(await petstore.stop(), 0);
    assert.doesNotMatch(petstore.written.stderr, /rror|denied/);
  }));

const STORE = pathToFileURL(join(ROOT, "lib/stores/sqlite/create_sqlite_store.ts")).href;

/** Prints how many threads a store starts. */
const PROGRAM = `
  const { createSqliteStore } = await import("${STORE}");
  const { default: process } = await import("node:process");
  let threads = 0;
  process.on("worker", () => threads++);
  const store = createSqliteStore("pets.db", { writerThread: "always" });
  for (const end = performance.now() + 500; performance.now() < end;) {
    await store.create({ name: "Rex", categoryId: 7n, status: "sold" });
  }
  await store.close();
  console.log(threads);`;

test("without the permission to read the package, Deno asks for nothing, and the calling thread commits", () =>
  withTempFolder(async (folder) => {
    writeFileSync(join(folder, "program.ts"), PROGRAM);
    const args = ["run", "--no-prompt", "--no-config", "--allow-read=.", "--allow-write=.", "program.ts"];
    assert.deepEqual(await succeed(process.execPath, args, folder), { stdout: "0\n", stderr: "" });
  }));
