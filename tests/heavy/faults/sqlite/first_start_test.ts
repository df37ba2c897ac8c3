import assert from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { inFolder, withServerHere } from "../../../support/server/in_process.ts";
import { environment, serverCommand } from "../../../support/server/serve_task.ts";
import { addPet, countPets, readKey, STARTED } from "../../../support/server/server_process.ts";
import { Child } from "../../../support/system/child.ts";
import { testUnless, TRACE_SKIP } from "../../../support/system/commands.ts";

const test = testUnless(TRACE_SKIP);

/** The files that a start makes, relative to its folder. */
const FILES = [
  "",
  "/api-key",
  "/api-key.0.tmp",
  "/petstore.db",
  "/petstore.db-journal",
  "/petstore.db-wal",
  "/petstore.db-shm",
];

/** Calls that make, write, sync, lock or remove a file. */
const CALLS = "openat,mkdir,unlink,link,linkat,rename,pwrite64,write,fsync,fdatasync,ftruncate,flock,fcntl,mmap,close";

/** Starts a server under strace. Resolves with its output when it is killed or serves. */
async function startTraced(folder: string, traceFlags: string[]): Promise<string> {
  const paths = FILES.flatMap((file) => ["-P", `data${file}`, "-P", join(folder, `data${file}`)]);
  // strace runs without --seccomp-bpf, with which 6.1 sends no signal.
  const strace = ["-f", "-qq", ...paths, ...traceFlags];
  const server = [...serverCommand(), "--port=0", "--log=off"];
  await using child = new Child("strace", [...strace, ...server], { cwd: folder, clearEnv: true, env: environment() });
  await Promise.race([child.ended, child.printed(/^ {2}try /m).then(() => killChildren(child.pid), () => {})]);
  await child.ended;
  return child.written.stdout;
}

/** strace ignores signals. */
function killChildren(pid: number): void {
  for (const child of Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`).trim().split(" ")) {
    Deno.kill(Number(child), "SIGKILL");
  }
}

/** Calls after which the files differ, unless they fail. */
const CHANGE = /^(mkdir|unlink|link|linkat|rename|pwrite64|write|ftruncate)\(|^openat\(.*O_CREAT/;

interface Call {
  name: string;
  /** How many calls of this name there are up to it. strace counts each name by itself. */
  number: number;
  text: string;
}

/** The calls before which a kill leaves different files. Of a row of writes to one file, the first two and the last. */
function changesOf(calls: readonly string[]): Call[] {
  const counts: Record<string, number> = {};
  const changes = calls.map((text): Call => {
    const name = /^\w+/.exec(text)![0];
    return { name, number: counts[name] = (counts[name] ?? 0) + 1, text };
  }).filter(({ text }) => CHANGE.test(text) && !text.includes(" = -1 "));
  const what = (i: number) => /^p?write\w*\(\d+/.exec(changes[i]?.text ?? "")?.[0] ?? changes[i]?.text;
  const isInside = (i: number) => [-2, -1, 1].every((by) => what(i + by) === what(i));
  return changes.filter((_, i) => !isInside(i));
}

/** The calls of the main thread in order. It makes all the files; the thread that writes opens them afterwards. */
function readCalls(trace: string): string[] {
  const calls = [...trace.matchAll(/^(\d+) +(\w+\(.*)$/gm)];
  const main = calls[0]?.[1];
  return calls.filter(([, thread]) => thread === main).map(([, , call = ""]) => call);
}

test("a first start may be killed before any system call that changes a file", () =>
  inFolder(async (root) => {
    const trace = join(root, "trace");
    const traced = join(root, "0");
    Deno.mkdirSync(traced);
    assert.match(await startTraced(traced, ["-e", `trace=${CALLS}`, "-o", trace]), /\(new, kept in/);
    const calls = readCalls(Deno.readTextFileSync(trace));
    const changes = changesOf(calls);
    assert.ok(changes.length > 20, calls.join("\n"));
    for (const { name, number, text } of changes) {
      const folder = join(root, `${name}-${number}`);
      Deno.mkdirSync(folder);
      const flags = ["-e", `trace=${name}`, "-o", "/dev/null", "-e", `inject=${name}:signal=KILL:when=${number}`];
      const printed = await startTraced(folder, flags);
      const what = `killed before ${text}`;
      assert.doesNotMatch(printed, STARTED, `not ${what}`);
      const shown = /(petstore_\w+) \(new/.exec(printed)?.[1];
      try {
        // In this process, which makes it cheap.
        process.chdir(folder);
        await withServerHere({ args: ["--log=off"] }, async (server) => {
          const key = readKey(folder);
          if (shown !== undefined) assert.equal(key, shown, what);
          await addPet(server, key);
          assert.equal(await countPets(server, key), 1, what);
          assert.equal(await server.stop(), 0, what);
        });
      } catch (error) {
        throw new Error(what, { cause: error });
      }
    }
  }));
