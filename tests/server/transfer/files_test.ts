import assert from "node:assert/strict";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSource } from "../../../lib/server/transfer/files.ts";
import { test } from "../../support/server/in_process.ts";

/** V8 collects garbage after about 64 MiB of it outside of its heap. */
const MIB = 1024 * 1024, SIZE = 300 * MIB;

test.withFolder("what was read of a file is forgotten, although the process may be told to end at any moment", async (folder) => {
  const file = join(folder, "large.ndjson");
  writeFileSync(file, "");
  truncateSync(file, SIZE);
  const ending = Promise.withResolvers<void>();
  const { bytes } = await openSource(file, ending.promise);
  const before = Deno.memoryUsage().external;
  let read = 0, most = 0;
  for await (const block of bytes) {
    read += block.length;
    most = Math.max(most, Deno.memoryUsage().external - before);
  }
  assert.equal(read, SIZE);
  assert.ok(most < SIZE / 2, `${Math.round(most / MIB)} MiB were held`);
  ending.resolve();
});

test.withFolder("an import that is told to end while it adds what it has read reads no more", async (folder) => {
  const file = join(folder, "a.ndjson");
  writeFileSync(file, "{}\n");
  const ending = Promise.withResolvers<void>();
  const { bytes } = await openSource(file, ending.promise);
  const blocks = bytes[Symbol.asyncIterator]();
  await blocks.next();
  ending.resolve();
  await ending.promise;
  await assert.rejects(async () => await blocks.next(), /The import was stopped/);
});
