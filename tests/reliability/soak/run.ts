/** One soak: a server on the default store, its load in another process, and a look at both every second. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "../../support/http/client.ts";
import type { Finding } from "../shared/finding.ts";
import { Random } from "../../support/random.ts";
import { ServerProcess } from "../../support/server/server_process.ts";
import { Child } from "../../support/system/child.ts";
import { getRequest, KEY } from "../shared/requests.ts";
import type { LoadFigures, LoadSettings } from "./load.ts";
import { drawRequest } from "./requests.ts";
import { type Sample, takeSample } from "./sample.ts";
import { judge, type Run } from "./verdict.ts";

export interface SoakOptions {
  minutes: number;
  clients: number;
  seed: number;
  workers: number;
}

export interface SoakReport extends Run {
  figures: LoadFigures;
  findings: Finding[];
}

/** How long a server may take to open all that it keeps open, in milliseconds. */
const SETTLING_TIME = 1_500;

/** How long a server may take to close what its clients have closed, in milliseconds. */
const CLOSING_TIME = 10_000;

export async function runSoak(
  { minutes, clients, seed, workers }: SoakOptions,
  folder: string,
  onSample: (sample: Sample, figures: LoadFigures) => void,
): Promise<SoakReport> {
  // The default store and the default access log.
  const parts = { args: [`--workers=${workers}`], env: { PETSTORE_KEYS: KEY }, kept: 16_384 };
  await using server = await ServerProcess.start(folder, parts);
  const log = join(folder, "data", "petstore.db-wal");
  await tryEach(server.port, seed);
  // By then the server's thread that writes has its files too.
  await new Promise((resolve) => setTimeout(resolve, SETTLING_TIME));
  const filesBefore = await countFiles(server.pid, (count, last) => count === last);
  const samples: Sample[] = [];
  const begin = performance.now();
  const figures = await runLoad({ port: server.port, clients, seconds: minutes * 60, seed }, (figures) => {
    const sample = takeSample(server.pid, log, (performance.now() - begin) / 1000);
    samples.push(sample);
    onSample(sample, figures);
  });
  const filesAfter = await countFiles(server.pid, (count) => count <= filesBefore);
  const run = { samples, filesBefore, filesAfter };
  const findings = judge(run);
  if (figures.unexpected > 0) {
    findings.push({
      kind: "response",
      detail: `${figures.unexpected} unexpected responses, such as ${figures.example}`,
    });
  }
  const status = await server.stop();
  if (status !== 0 || server.written.stderr !== "") {
    findings.push({ kind: "exit", detail: `Status ${status}, standard error: ${server.written.stderr}` });
  }
  return { ...run, figures, findings };
}

/** A little of everything, so that what is opened once, at the first need, is open. */
async function tryEach(port: number, seed: number): Promise<void> {
  using client = new Client(port);
  const random = new Random(seed);
  const known = { lastId: 1, next: undefined, etag: undefined };
  for (let i = 0; i < 200; i++) {
    const { request, body } = drawRequest(random, known, `before.${i}`);
    await client.send(request, body);
  }
  await client.abandon(getRequest("/v1/pets"));
}

/** Counts a process's open files until the count is as it should be, or for long enough. */
async function countFiles(pid: number, isRight: (count: number, last: number) => boolean): Promise<number> {
  const deadline = performance.now() + CLOSING_TIME;
  for (let last = -1;;) {
    const count = takeSample(pid, "", 0).files;
    if (isRight(count, last) || performance.now() > deadline) return count;
    last = count;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Runs the load to its end, and hands on its figures as they come. */
async function runLoad(settings: LoadSettings, onFigures: (figures: LoadFigures) => void): Promise<LoadFigures> {
  const script = fileURLToPath(new URL("load.ts", import.meta.url));
  const args = ["run", "--no-prompt", "--allow-net", script, JSON.stringify(settings)];
  let figures: LoadFigures | undefined;
  await using child = new Child(Deno.execPath(), args, { onLine: (line) => onFigures(figures = JSON.parse(line)) });
  const status = await child.ended;
  if (status !== 0 || !figures) throw new Error(`The load ended with status ${status}: ${child.written.stderr}`);
  return figures;
}
