import { runRoundsTool, sumOf } from "../shared/rounds_tool.ts";
import { type CrashFigures, runCrashRound } from "./round.ts";

const ABOUT = `deno task reliability crash [options]

A standalone server on an SQLite file, or four on a PostgreSQL. Clients create, and one follows the ids. Other programs open
the store, read, check, copy or lock it, and close it. At a random moment SIGKILL hits the server; with PostgreSQL it hits the
servers, the database, both, or the connections first. Then a restart on what is left, an audit, retries of what was not
answered, and another audit. Exit status 1 if anything is wrong.
`;

await runRoundsTool<CrashFigures>({
  name: "crash",
  about: ABOUT,
  kinds: ["lost", "missed", "doubled", "half-stored", "unordered", "response", "replay", "list", "store", "exit"],
  run: runCrashRound,
  describe: ({ moment, acknowledged, kills, inFlight, stored, retries, replays }) => [
    `killed after ${moment} ms${kills > 1 ? ` and ${kills - 1} times more` : ""}`,
    `${acknowledged} acknowledged`,
    `${inFlight} in flight, ${stored} of them stored`,
    `${retries} retries, ${replays} replays`,
  ],
  summarize(rounds, { store, clients, seed }) {
    const sum = (name: keyof CrashFigures) => sumOf(rounds, (figures) => figures[name]);
    return {
      with: `${clients} clients, store ${store}, seed ${seed}`,
      "creates acknowledged": sum("acknowledged"),
      kills: sum("kills"),
      "visits of other programs": sum("visits"),
      "kills that hit creates in flight": sum("killsInFlight"),
      "creates in flight": `${sum("inFlight")}, ${sum("stored")} of them stored`,
      retries: sum("retries"),
      replays: sum("replays"),
    };
  },
});
