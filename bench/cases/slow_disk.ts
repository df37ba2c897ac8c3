/** Reads during creates: on this disk, and on one whose fsync takes some milliseconds, as on a common network disk. */

import { SLOW_SKIP, slowDisk } from "../../tests/support/system/disk.ts";
import { readResponse } from "../responses.ts";
import type { Bench, Group } from "../bench.ts";
import { load, type Measurement, runWrk } from "../load/wrk.ts";
import { measureSync } from "../report/machine.ts";
import { inRounds, measureRounds } from "../rounds.ts";
import { ratioOf, type Row, spreadOf } from "../row.ts";
import { POST } from "./library.ts";

/** How much longer each fsync takes, in milliseconds. */
const LONGER = 5;

/** Seconds of load in a round. */
const SECONDS = 2;

const READS = load("/v1/pets/4242", { connections: 8 });

export const SLOW_DISK: Group = [
  { name: "slow-disk", run: besideCreates },
  { name: "get-while-posting", run: readersMeanwhile },
];

/** A round: the reads, and the creates meanwhile, if any. */
interface Measured {
  reads: Measurement;
  creates: Measurement | undefined;
}

async function besideCreates(bench: Bench): Promise<Row[]> {
  if (SLOW_SKIP !== false) throw new Error(`It ${SLOW_SKIP}`);
  const { env, setDelay } = slowDisk(bench.folder);
  setDelay(0);
  const server = await bench.standalone({ env });
  for (const asked of [READS, POST]) await readResponse(server, asked);
  // The disk becomes slow while the server runs.
  await runWrk(server.port, POST, SECONDS);
  setDelay(LONGER);
  const { alone, beside } = await inRounds<"alone" | "beside", Measured>({
    alone: async () => ({ reads: await server.measure(READS, SECONDS), creates: undefined }),
    beside: async () => {
      const [reads, creates] = await Promise.all([
        server.measure(READS, SECONDS),
        runWrk(server.port, POST, SECONDS),
      ]);
      return { reads, creates };
    },
  }, bench.effort.rounds);
  // In the ideal, one fsync commits what all connections sent while the one before it took place.
  const ideal = POST.connections / ((measureSync(bench.folder) + LONGER) / 1000);
  const reads = [beside, alone].map((rounds) => rounds.map(({ reads }) => reads.rate));
  const creates = beside.map(({ creates }) => (creates?.rate ?? NaN) / ideal);
  const p99 = [beside, alone].map((rounds) => rounds.map(({ reads }) => reads.p99));
  const parts = { name: "slow-disk", notes: [] };
  const during = `while 64 connections create, each fsync ${LONGER} ms longer`;
  return [
    {
      ...parts,
      title: `GET one, 8 connections, ${during}`,
      subject: "default server",
      base: "its reads alone",
      unit: "×",
      figure: ratioOf(reads[0] ?? [], reads[1] ?? []),
    },
    {
      ...parts,
      title: `p99 of GET one, 8 connections, ${during}`,
      subject: "default server",
      base: "its p99 alone",
      unit: "×",
      figure: ratioOf(p99[0] ?? [], p99[1] ?? []),
    },
    {
      ...parts,
      title: `Those creates`,
      subject: "default server",
      base: "64 for each fsync",
      unit: "×",
      figure: spreadOf(creates),
    },
  ];
}

async function readersMeanwhile(bench: Bench): Promise<Row[]> {
  const server = await bench.standalone();
  const asked = load("/v1/pets/4242");
  for (const load of [asked, POST]) await readResponse(server, load);
  const alone = { server, load: asked };
  const contenders = { alone, beside: { ...alone, background: POST } };
  const series = await measureRounds(contenders, { ...bench.effort, seconds: SECONDS });
  const p99 = (name: keyof typeof contenders) => series[name].map(({ p99 }) => p99);
  return [{
    name: "get-while-posting",
    title: "p99 of GET one, 64 connections, while 64 others create",
    subject: "default server",
    base: "its p99 alone",
    unit: "×",
    figure: ratioOf(p99("beside"), p99("alone")),
    notes: [],
  }];
}
