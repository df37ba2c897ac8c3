/** Reads during creates, on a disk whose fsync takes some milliseconds, as on a common network disk. */

import { SLOW_SKIP, slowDisk } from "../../tests/support/system/disk.ts";
import { readResponse } from "../responses.ts";
import type { Bench, Group } from "../bench.ts";
import { load, type Measurement, runWrk } from "../load/wrk.ts";
import { measureSync } from "../report/machine.ts";
import { inRounds } from "../rounds.ts";
import { ratioOf, type Row, spreadOf } from "../row.ts";
import { POST } from "./library.ts";

/** How much longer each fsync takes, in milliseconds. */
const LONGER = 5;

/** Seconds of load in a round. */
const SECONDS = 2;

const READS = load("/v1/pets/4242", { connections: 8 });

export const SLOW_DISK: Group = [{ name: "slow-disk", run: besideCreates }];

/** A round: the reads, and the creates meanwhile, if any. */
interface Measured {
  reads: Measurement;
  creates?: Measurement;
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
  const readAlone = async () => ({ reads: await server.measure(READS, SECONDS) });
  const { alone, beside } = await inRounds<"alone" | "beside", Measured>({
    alone: readAlone,
    beside: async () => {
      const [{ reads }, creates] = await Promise.all([readAlone(), runWrk(server.port, POST, SECONDS)]);
      return { reads, creates };
    },
  }, bench.effort.rounds);
  // In the ideal, one fsync commits what all connections sent while the one before it took place.
  const ideal = POST.connections / ((measureSync(bench.folder) + LONGER) / 1000);
  const ratio = (of: "rate" | "p99") => {
    const [meanwhile, before] = [beside, alone].map((rounds) => rounds.map(({ reads }) => reads[of]));
    return ratioOf(meanwhile!, before!);
  };
  const parts = { name: "slow-disk", subject: "default server", unit: "×" as const };
  const title = `GET one, 8 connections, while 64 connections create, each fsync ${LONGER} ms longer`;
  return [
    { ...parts, title, base: "its reads alone", figure: ratio("rate") },
    { ...parts, title: `p99 of ${title}`, base: "its p99 alone", figure: ratio("p99") },
    {
      ...parts,
      title: "Those creates",
      base: "64 for each fsync",
      figure: spreadOf(beside.map(({ creates }) => (creates?.rate ?? NaN) / ideal)),
    },
  ];
}
