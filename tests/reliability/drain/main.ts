import { runRoundsTool, sumOf } from "../shared/rounds_tool.ts";
import { type DrainFigures, runDrainRound } from "./round.ts";

const ABOUT = `deno task reliability drain [options]

A standalone server on an SQLite file, clients that create and read, SIGTERM at a random moment: no response may be cut. No
busy client may be left without one, nor an idle one that begins a request right then. The exit status must be 0, and after
a restart all that was acknowledged must be there, and nothing else. Exit status 1 if anything is wrong.
`;

await runRoundsTool<DrainFigures>({
  name: "drain",
  about: ABOUT,
  kinds: [
    ...["cut", "dropped", "unanswered", "lost", "doubled", "half-stored"] as const,
    ...["unordered", "response", "replay", "list", "store", "exit"] as const,
  ],
  run: runDrainRound,
  describe: ({ moment, duration, acknowledged, reads, turnedAway, unsent, unanswered, cut }) => [
    `told to end after ${moment} ms, ended ${duration} ms later`,
    `${acknowledged} acknowledged, ${reads} reads`,
    `${turnedAway} turned away, ${unsent} not taken, ${unanswered} closed before a response, ${cut} cut`,
  ],
  summarize(rounds, { clients, seed }) {
    const sum = (name: keyof DrainFigures) => sumOf(rounds, (figures) => figures[name]);
    return {
      with: `${clients} clients that create and a quarter as many that read, seed ${seed}`,
      "longest end": `${Math.max(...rounds.map(({ duration }) => duration))} ms`,
      "creates acknowledged": sum("acknowledged"),
      reads: sum("reads"),
      "turned away with 503": sum("turnedAway"),
      "connections refused": sum("refused"),
      "requests that were not taken whole": sum("unsent"),
      "connections closed before a response": sum("unanswered"),
      "responses cut": sum("cut"),
      "creates asked for again": sum("retries"),
    };
  },
});
