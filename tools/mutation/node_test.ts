/** Stands in for node:test beside mutated code: it collects the tests of files, and the runner runs them one by one. */

import { mock } from "node:test";

export interface CollectedTest {
  name: string;
  run(): Promise<void>;
}

type Body = (context: { mock: typeof mock }) => unknown;
type Options = { skip?: string | boolean | undefined };

/** Of all files that were imported. */
export const collected: CollectedTest[] = [];

/** The hooks of the file that is being imported. */
let hooks: { before: Body[]; after: Body[] } = { before: [], after: [] };

export function beginFile(): void {
  hooks = { before: [], after: [] };
}

export function test(name: string, options: Options | Body, body: Body = options as Body): void {
  if (typeof options !== "function" && options.skip) return;
  const { before, after } = hooks;
  const run = async () => {
    try {
      for (const hook of before) await hook({ mock });
      await body({ mock });
    } finally {
      for (const hook of after) await hook({ mock });
      mock.reset();
    }
  };
  collected.push({ name, run });
}

export function beforeEach(hook: Body): void {
  hooks.before.push(hook);
}

export function afterEach(hook: Body): void {
  hooks.after.push(hook);
}

export default test;
