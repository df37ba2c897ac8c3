import { NO_PGBOUNCER } from "../../../tests/support/postgres/pgbouncer.ts";
import { defineTool } from "../tool.ts";
import { Tally } from "./ground.ts";
import { FAULT, onPostgres, openPool } from "./postgres.ts";
import { blocksFrom, type Extent, type Finding, search } from "./search.ts";

const ABOUT = `Clients create, get and list, on one or two servers, while the connections to PostgreSQL fail as
the seed says. A history is every request and response with its time. It is wrong unless the store could have done one after the other:
what was acknowledged or shown is shown from then on, in order and without gaps, and each create is carried out once or, if its
response allows, not at all. A wrong history is made smaller. With its --seed and --histories 1 it runs again.`;

type Search = (extent: Omit<Extent<never>, "fault">) => Promise<Finding | undefined>;

/** The ways to PostgreSQL: directly and through PgBouncer. */
export const WAYS: Record<string, Search> = Object.fromEntries(
  [false, ...(NO_PGBOUNCER ? [] : [true])].map((pooled) => {
    const ground = onPostgres("PostgreSQL", openPool, pooled);
    return [ground.name, (extent) => search(ground, { ...extent, fault: FAULT })] satisfies [string, Search];
  }),
);

/** Histories mostly wait, so several of each way run at the same time. */
const LANES = 18;

/** Milliseconds between two lines of progress. */
const PROGRESS = 10_000;

export const HISTORIES = defineTool<{ histories: number; way: string }>(ABOUT, {
  histories: [10_000, "how many in all"],
  way: ["all", "which way", ["all", ...Object.keys(WAYS)]],
}, async ({ histories, way }, { seed, log }) => {
  const ways = Object.entries(WAYS).filter(([name]) => way === "all" || way === name);
  const blocks = blocksFrom(seed, histories);
  const tallies = ways.map(() => new Tally());
  const count = () => tallies.reduce((sum, tally) => sum + tally.histories, 0);
  const timer = setInterval(() => log(`${count()} of ${histories} histories`), PROGRESS);
  const lanes = ways.flatMap(([, search], i) =>
    Array.from({ length: Math.max(1, Math.floor(LANES / ways.length)) }, () => search({ blocks, tally: tallies[i]! }))
  );
  const findings = (await Promise.all(lanes)).flatMap((found) =>
    found ? [{ kind: "history", detail: found.text }] : []
  );
  clearInterval(timer);
  return { figures: Object.fromEntries(ways.map(([name], i) => [name, String(tallies[i])])), findings };
});
