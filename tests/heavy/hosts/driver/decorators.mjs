/** On Node: compiles the program of NestJS, because Node strips types and leaves decorators. `nest build` does the same. */

import { readFileSync } from "node:fs";
import { register } from "node:module";
import { isMainThread } from "node:worker_threads";
import typescript from "typescript";

const { ScriptTarget, ModuleKind } = typescript;
const compilerOptions = { target: ScriptTarget.ES2023, module: ModuleKind.ESNext, experimentalDecorators: true };

// registerHooks() would be shorter: with a load hook, Node 24.9 fails to link modules that require() each other.
if (isMainThread) register(import.meta.url);

/** The hook, on the thread that Node has for it. */
export function load(url, context, next) {
  if (!url.endsWith("/nestjs.ts")) return next(url, context);
  const { outputText } = typescript.transpileModule(readFileSync(new URL(url), "utf8"), { compilerOptions });
  return { format: "module", source: outputText, shortCircuit: true };
}
