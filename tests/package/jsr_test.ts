/** The package for JSR, and what JSR's score asks of it. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import process from "node:process";
import test from "node:test";
import { pathToFileURL } from "node:url";
import root from "../../deno.json" with { type: "json" };
import { withTempFolder } from "../support/temp.ts";
import { ROOT } from "./support/project.ts";
import { succeed } from "./support/run.ts";

const ENTRY_POINTS = Object.values(root.exports);
const README = readFileSync(join(ROOT, "README.md"), "utf8");

async function deno(...args: string[]): Promise<string> {
  const { stdout, stderr } = await withTempFolder((HOME) => succeed(process.execPath, args, ROOT, { HOME }));
  return stdout + stderr;
}

type JsDoc = { doc?: string; tags?: { kind: string }[] };
type ModuleDocumentation = { module_doc?: JsDoc; symbols: { name: string; declarations: { jsDoc?: JsDoc }[] }[] };

async function documentationOf(path: string): Promise<ModuleDocumentation> {
  const { nodes } = JSON.parse(await deno("doc", "--json", path));
  const [module, ...others] = Object.values(nodes as Record<string, ModuleDocumentation>);
  assert.ok(module && others.length === 0, path);
  return module;
}

test("a dry run of publishing to JSR finds no fault and no slow types, and takes the sources and every page that README.md links to", async () => {
  const printed = await deno("publish", "--dry-run", "--allow-dirty");
  assert.match(printed, /Success Dry run complete/);
  // The one warning allowed: the PostgreSQL driver is loaded only when it is needed.
  const [driver, ...more] = printed.match(/^warning.*\n.*/gm) ?? [];
  assert.match(driver ?? "", /unanalyzable-dynamic-import[^]*lib\/server\/store\/open_postgres\.ts/);
  assert.deepEqual(more, []);
  assert.doesNotMatch(printed, /slow-type|missing-/i);
  const prefix = pathToFileURL(ROOT).href;
  const files = Array.from(printed.matchAll(/^ +(file:\S+) \(/gm), ([, url = ""]) => url.slice(prefix.length));
  const others = files.filter((path) => !/^lib\/[a-z0-9_/]+\.ts$|^(bench|docs)\/[a-zA-Z_]+\.(md|svg)$/.test(path));
  const VIEWER = ["LICENSE", "NOTICE", "page.json", "swagger-ui-bundle.js.LICENSE.txt", "swagger_ui.json"];
  assert.deepEqual(others.toSorted(), [
    ...["CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md", "deno.json"],
    ...["nginx.conf", "petstore-postgres.service", "petstore.service"].map((name) => `docs/${name}`),
    ...VIEWER.map((name) => `lib/server/viewer/${name}`),
    ...["mod.ts", "server.ts"],
  ]);
  assert.ok(files.length > 45, `only ${files.length} files`);
  const links = README.matchAll(/\]\((?!https?:)([^)#]+)/g);
  assert.deepEqual(Array.from(links, ([, path = ""]) => path).filter((path) => !files.includes(path)), []);
});

test("the documentation of every entry point passes Deno's lint", async () => {
  assert.match(await deno("doc", "--lint", ...ENTRY_POINTS), new RegExp(`Checked ${ENTRY_POINTS.length} files`));
});

test("every entry point is described with an example, as is every symbol that it exports", async () => {
  for (const path of ENTRY_POINTS) {
    const { module_doc, symbols } = await documentationOf(path);
    assert.ok((module_doc?.doc ?? "").length > 30, `${path} is not described`);
    for (const { name, declarations } of symbols) {
      assert.ok(declarations.some(({ jsDoc }) => jsDoc?.doc), `${name} is not described`);
    }
    // The server is a program: it exports nothing and has no example of code.
    const isProgram = path === "./server.ts";
    assert.equal(symbols.length === 0, isProgram, path);
    assert.ok(isProgram || module_doc?.tags?.some(({ kind }) => kind === "example"), `${path} has no example`);
  }
});

const PROGRAM = (store: string) => `
  const { createSqliteStore } = await import("${store}");
  const { default: process } = await import("node:process");
  let threads = 0;
  process.on("worker", () => threads++);
  const store = createSqliteStore("pets.db");
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

test("a store that Deno loads from the web, as from JSR, commits on a thread of its own", () =>
  withTempFolder(async () => {
    const server = createServer((request, response) => {
      response.setHeader("content-type", "application/typescript");
      response.end(readFileSync(join(ROOT, request.url ?? "")));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const permissions = ["--allow-read=.", "--allow-write=.", `--allow-import=${host}`];
    const { stdout } = await countThreads(`http://${host}/lib/stores/sqlite/sqlite_store.ts`, permissions);
    assert.equal(stdout.trim(), "1");
    server.close();
  }));

test("without the permission to read the package, Deno asks for nothing, and the calling thread commits", async () => {
  const store = pathToFileURL(join(ROOT, "lib/stores/sqlite/sqlite_store.ts")).href;
  const { stdout, stderr } = await countThreads(store, ["--allow-read=.", "--allow-write=."]);
  assert.deepEqual([stdout.trim(), stderr], ["0", ""]);
});
