/** One process for each place where a host mounts the petstore, started when it is first needed. */

import type { MountedHost } from "../hosts.ts";
import { type Program, startProgram } from "./program.ts";

/** The processes of one host. */
export interface Programs {
  at(basePath: string): Promise<Program>;
  /** Ends the one at this base path, or all. */
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
        // One that did not start has told so in its test.
        await program?.then(({ stop }) => stop(), () => {});
      }
    },
  };
}
