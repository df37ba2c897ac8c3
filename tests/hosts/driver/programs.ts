/** One process for each base path of a host, started when it is first needed. */

import type { MountedHost } from "../hosts.ts";
import { type Program, startProgram } from "./program.ts";

/** The processes of one host. */
export interface Programs {
  at(basePath: string): Promise<Program>;
  /** Stops the one at this base path, or all. */
  stop(basePath?: string): Promise<void>;
}

export function createPrograms({ runtime, file }: MountedHost): Programs {
  const started = new Map<string, Promise<Program>>();
  return {
    at(basePath) {
      const program = started.get(basePath) ?? startProgram(runtime, file, basePath);
      started.set(basePath, program);
      return program;
    },
    async stop(basePath) {
      for (const place of basePath === undefined ? [...started.keys()] : [basePath]) {
        const program = started.get(place);
        started.delete(place);
        // A start that failed has failed its test.
        await program?.then(({ stop }) => stop(), () => {});
      }
    },
  };
}
