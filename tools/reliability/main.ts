/** `deno task reliability fuzz|histories`: runs the tool of that name, and exits with 1 if it has found anything. */

import { formatTable, runTool } from "../command_line.ts";
import { newSeed } from "../../tests/support/random.ts";
import { FUZZ } from "./fuzz/tool.ts";
import { HISTORIES } from "./histories/tool.ts";
import type { Tool } from "./tool.ts";

const TOOLS: Record<string, Tool> = {
  fuzz: FUZZ,
  histories: HISTORIES,
};

const [name = ""] = Deno.args;
const tool = TOOLS[name];
if (tool === undefined) {
  console.error(`deno task reliability ${Object.keys(TOOLS).join("|")} [options]`);
  Deno.exit(2);
}

await runTool(name, async (folder) => {
  const options = [...tool.help, "--seed      repeats the random choices of a run; the scheduler it cannot repeat"];
  const help = `deno task reliability ${name} [options]\n\n${tool.about}\n\n  ${options.join("\n  ")}`;
  const { seed = newSeed(), start } = tool.prepare(Deno.args, help);
  const log = (line: string) => console.log(`${name}: ${line}`);
  log(`seed ${seed}`);
  const begin = performance.now();
  const { figures, findings } = await start({ seed, folder, log });
  const seconds = Math.round((performance.now() - begin) / 1000);
  console.log(formatTable({ seconds, seed, ...figures, findings: findings.length }));
  return findings;
});
