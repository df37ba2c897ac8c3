/** The samples of openapi.json do what their operation does, and keep every digit. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createPetstore } from "../../../mod.ts";
import description from "../../../openapi.json" with { type: "json" };
import { KEY } from "../../support/api.ts";
import { withDenoServe } from "../../support/http/deno_serve.ts";
import { skipUnless, testUnless } from "../../support/system/commands.ts";
import { withTempFolder } from "../../support/temp.ts";

const CONFIG = fileURLToPath(new URL("../../../deno.json", import.meta.url));
const DENO = [Deno.execPath(), "run", "--quiet", "--no-check", "-A", "--config", CONFIG];

/** What runs the sample of each label: a file of this name. */
const RUNNERS: Record<string, [file: string, command: string[]]> = {
  curl: ["sample.sh", ["sh"]],
  fetch: ["sample.mjs", DENO],
  "@petstore/client": ["sample.ts", DENO],
  Python: ["sample.py", ["python3"]],
  Go: ["sample.go", ["go", "run"]],
  Java: ["Sample.java", ["java"]],
};

/** The operations, each after those that it needs, and what its samples print. */
const PRINTED: Record<string, RegExp> = {
  createPet: /Rex.*9223372036854775807/s,
  listPets: /Rex.*9223372036854775807/s,
  getPet: /Rex.*9223372036854775807/s,
  listStoreOrders: /an order/,
};

interface Described {
  operationId: string;
  "x-codeSamples": { label: string; source: string }[];
}

const OPERATIONS = Object.values(description.paths).flatMap((path) => Object.values(path) as Described[]);

for (const [label, [file, [program = "", ...args]]] of Object.entries(RUNNERS)) {
  testUnless(skipUnless([label === "curl" ? "curl" : program]))(
    `the samples of openapi.json for ${label} list, add and get pets, with every digit`,
    () =>
      withTempFolder(async (folder) => {
        const handleStoreOrders = () => Response.json(["an order"]);
        const { handle } = createPetstore({ keys: [KEY], handleStoreOrders });
        await withDenoServe(handle, async (port) => {
          const env = { PETSTORE_URL: `http://127.0.0.1:${port}/v1`, PETSTORE_KEY: KEY };
          for (const [id, printed] of Object.entries(PRINTED)) {
            const samples = OPERATIONS.find(({ operationId }) => operationId === id)!["x-codeSamples"];
            const sample = samples.find((each) => each.label === label);
            // The client has no call of store orders.
            if (!sample && id === "listStoreOrders") continue;
            Deno.writeTextFileSync(`${folder}/${file}`, sample!.source);
            const { stdout, stderr } = await new Deno.Command(program, { args: [...args, `${folder}/${file}`], env })
              .output();
            const [output, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
            assert.match(output!, printed, `${id}\n${output}\n${errors}`);
          }
        });
      }),
  );
}
