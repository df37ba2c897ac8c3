import { formatTable, runTool } from "../../support/command_line.ts";
import { countKinds, type FindingKind } from "./finding.ts";
import { readRoundOptions, type RoundOptions } from "./round_options.ts";
import { runRounds, type Stage } from "./rounds.ts";

export interface RoundsTool<Figures> {
  name: string;
  about: string;
  kinds: readonly FindingKind[];
  run(stage: Stage, options: RoundOptions): Promise<Figures>;
  describe(figures: Figures): string[];
  summarize(rounds: readonly Figures[], options: RoundOptions): Record<string, string | number>;
}

export async function runRoundsTool<Figures>({ name, run, ...tool }: RoundsTool<Figures>): Promise<never> {
  return await runTool(name, async (folder) => {
    const options = readRoundOptions(Deno.args, tool.about);
    console.log(`${name}: seed ${options.seed}`);
    const begin = performance.now();
    const { rounds, findings } = await runRounds({
      ...options,
      folder,
      run: (stage) => run(stage, options),
      onRound: (number, figures, wrong) => {
        const parts = [...tool.describe(figures), `${wrong.length} wrong`];
        console.log(`${name}: round ${number} of ${options.rounds}: ${parts.join("; ")}`);
      },
    });
    console.log(formatTable({
      rounds: `${rounds.length} in ${Math.round((performance.now() - begin) / 1000)} s`,
      ...tool.summarize(rounds, options),
      ...countKinds(findings, tool.kinds),
    }));
    return findings;
  });
}

export function sumOf<Figures>(rounds: readonly Figures[], read: (figures: Figures) => number): number {
  return rounds.reduce((total, figures) => total + read(figures), 0);
}
