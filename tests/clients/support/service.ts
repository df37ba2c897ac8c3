/** The real standalone server, with pets in memory and a key that the tests know. */

import { join } from "node:path";
import { withServer as withProcess } from "../../support/server/server_process.ts";
import { withTempFolder } from "../../support/temp.ts";
import { FOLDER } from "./tools.ts";

export const KEY = "pk_test_0123456789abcdef";

/** The addresses of the server and of its API. */
export interface Service {
  origin: string;
  /** Ends in `/v1`. */
  base: string;
}

/** Runs `use` with a server of its own. */
export function withServer<T>(use: (service: Service) => Promise<T>, args: string[] = []): Promise<T> {
  return withTempFolder((folder) =>
    withProcess(
      folder,
      { args: ["--store=memory:", "--no-access-log", ...args], env: { PETSTORE_KEYS: KEY } },
      ({ origin }) => use({ origin, base: `${origin}/v1` }),
    )
  );
}

/** Fetches the description of a server into a file, and returns its path in the folder. */
export async function fetchDescription({ origin }: Service, name = "openapi.json"): Promise<string> {
  const path = `generated/${name}`;
  Deno.mkdirSync(join(FOLDER, "generated"), { recursive: true });
  Deno.writeTextFileSync(
    join(FOLDER, path),
    await (await fetch(`${origin}/openapi.json`)).text(),
  );
  return path;
}
