/** The package for JSR, and what JSR's score asks of it. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import test from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import root from "../../deno.json" with { type: "json" };
import { serveCheckout } from "../support/http/deno_serve.ts";
import { withTempFolder } from "../support/temp.ts";
import { ROOT } from "./support/project.ts";
import { start, succeed } from "./support/run.ts";

const ENTRY_POINTS = Object.values(root.exports);

/** Made by `deno task pack`. */
const FOLDER = join(ROOT, "dist", "jsr");
const FILES = readdirSync(FOLDER, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => join(parentPath, name).slice(FOLDER.length + 1));

test("a dry run of publishing to JSR finds no fault and no slow types, and takes each file of the folder", async () => {
  const args = ["publish", "--dry-run", "--allow-dirty"];
  const { stdout, stderr } = await withTempFolder((HOME) => succeed(process.execPath, args, FOLDER, { HOME }));
  const printed = stdout + stderr;
  assert.match(printed, /Success Dry run complete/);
  // The one warning allowed: the PostgreSQL driver is loaded only when it is needed.
  const [driver, ...more] = printed.match(/^warning.*\n.*/gm) ?? [];
  assert.match(driver ?? "", /unanalyzable-dynamic-import[^]*lib\/server\/store\/open_postgres\.ts/);
  assert.deepEqual(more, []);
  assert.doesNotMatch(printed, /slow-type|missing-/i);
  const taken = Array.from(
    printed.matchAll(/^ +(file:\S+) \(/gm),
    ([, url = ""]) => relative(FOLDER, fileURLToPath(url)),
  );
  assert.deepEqual(taken.toSorted(), FILES.toSorted());
});

test("JSR gets the sources, the pages, and nothing that only this repository needs", () => {
  const others = FILES.filter((path) => !/^lib\/[a-z0-9_/]+\.ts$|^(bench|docs)\/[a-zA-Z_]+\.(md|svg)$/.test(path));
  const VIEWER = ["LICENSE", "NOTICE", "page.json", "swagger-ui-bundle.js.LICENSE.txt", "swagger_ui.json"];
  assert.deepEqual(others.toSorted(), [
    ...["CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md", "deno.json"],
    "docs/nginx.conf",
    ...["-alerts.yml", "-dashboard.json", "-postgres.service", ".service"].map((end) => `docs/petstore${end}`),
    ...VIEWER.map((name) => `lib/server/viewer/${name}`),
    ...["mod.ts", "openapi.json", "server.ts"],
  ]);
  const sources = readdirSync(join(ROOT, "lib"), { recursive: true }).filter((path) => String(path).endsWith(".ts"));
  assert.equal(FILES.filter((path) => /^lib\/.*\.ts$/.test(path)).length, sources.length);
});

test("every link of the pages on JSR leads to a file that JSR has, or is absolute", () => {
  const dead = FILES.filter((path) => path.endsWith(".md")).flatMap((page) => {
    const links = readFileSync(join(FOLDER, page), "utf8").matchAll(/\]\((?!https?:|#)([^)#\s]*)/g);
    return Array.from(links, ([, link = ""]) => join(dirname(page), decodeURIComponent(link)))
      .filter((path) => !existsSync(join(FOLDER, path))).map((path) => `${page}: ${path}`);
  });
  assert.deepEqual(dead, []);
});

test("the command of the README on JSR serves pets, and the page with its scripts", () =>
  withTempFolder(async (folder) => {
    await using server = serveCheckout("dist/jsr");
    const host = `127.0.0.1:${server.addr.port}`;
    const [, line = ""] = /^deno (run .* serve)$/m.exec(readFileSync(join(FOLDER, "README.md"), "utf8")) ?? [];
    const program = `http://${host}/${root.exports["./server"]}`;
    const args = line.replace("jsr:@petstore/petstore/server", `--allow-import=${host} ${program}`).split(" ");
    assert.ok(args.includes(program), line);
    await using petstore = start(process.execPath, [...args, "--port=0"], folder);
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

test("every entry point begins with a description and an example", () => {
  for (const path of ENTRY_POINTS) {
    const [, description = ""] = /^\/\*\*([^]*?)\*\//.exec(readFileSync(join(ROOT, path), "utf8")) ?? [];
    // The server is a program: it has no example of code.
    const hasExample = description.includes("@example") || path === "./server.ts";
    assert.ok(description.length > 30 && hasExample, path);
  }
});

const PROGRAM = (store: string) => `
  const { createSqliteStore } = await import("${store}");
  const { default: process } = await import("node:process");
  let threads = 0;
  process.on("worker", () => threads++);
  const store = createSqliteStore("pets.db", { writer: "thread" });
  for (const end = performance.now() + 500; performance.now() < end;) {
    await store.create({ name: "Rex", categoryId: 7n, status: "sold" });
  }
  await store.close();
  console.log(threads);`;

/** Runs a program with exactly these permissions. It prints the number of threads that were started. */
async function countThreads(store: string, permissions: string[]): Promise<{ stdout: string; stderr: string }> {
  return await withTempFolder((folder) => {
    writeFileSync(join(folder, "program.ts"), PROGRAM(store));
    return succeed(process.execPath, ["run", "--no-prompt", "--no-config", ...permissions, "program.ts"], folder);
  });
}

test("a store that Deno loads from the web, as from JSR, commits on a thread of its own", async () => {
  await using server = serveCheckout();
  const host = `127.0.0.1:${server.addr.port}`;
  const permissions = ["--allow-read=.", "--allow-write=.", `--allow-import=${host}`];
  const { stdout } = await countThreads(`http://${host}/lib/stores/sqlite/sqlite_store.ts`, permissions);
  assert.equal(stdout.trim(), "1");
});

test("without the permission to read the package, Deno asks for nothing, and the calling thread commits", async () => {
  const store = pathToFileURL(join(ROOT, "lib/stores/sqlite/sqlite_store.ts")).href;
  const { stdout, stderr } = await countThreads(store, ["--allow-read=.", "--allow-write=."]);
  assert.deepEqual([stdout.trim(), stderr], ["0", ""]);
});
