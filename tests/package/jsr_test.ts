/** The package for JSR, and what JSR's score asks of it. */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import test from "node:test";
import { pathToFileURL } from "node:url";
import root from "../../deno.json" with { type: "json" };
import { serveCheckout } from "../support/http/deno_serve.ts";
import { withTempFolder } from "../support/temp.ts";
import { ROOT } from "./support/project.ts";
import { succeed } from "./support/run.ts";

const ENTRY_POINTS = Object.values(root.exports);
const README = readFileSync(join(ROOT, "README.md"), "utf8");

async function deno(...args: string[]): Promise<string> {
  const { stdout, stderr } = await withTempFolder((HOME) => succeed(process.execPath, args, ROOT, { HOME }));
  return stdout + stderr;
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
    "docs/nginx.conf",
    ...["-alerts.yml", "-dashboard.json", "-postgres.service", ".service"].map((end) => `docs/petstore${end}`),
    ...VIEWER.map((name) => `lib/server/viewer/${name}`),
    ...["mod.ts", "openapi.json", "server.ts"],
  ]);
  assert.ok(files.length > 45, `only ${files.length} files`);
  const links = README.matchAll(/\]\((?!https?:)([^)#]+)/g);
  assert.deepEqual(Array.from(links, ([, path = ""]) => path).filter((path) => !files.includes(path)), []);
});

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
