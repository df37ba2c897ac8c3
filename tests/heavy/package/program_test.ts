/** The commands of the installed packages, on the oldest Node. */

import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { testUnless } from "../../support/system/commands.ts";
import { npm, PACKAGES, run, start, succeed, withProject } from "./support/project.ts";
import { NODES } from "./support/runtimes.ts";

const PET = '{"name":"Rex","categoryId":9223372036854775807}';

/** Where something that the program needs may be missing. */
const OLDEST = NODES[0]!;

testUnless(OLDEST.skip)(
  `${OLDEST.name} runs the package's commands petstore and conformance`,
  () =>
    withProject(npm(OLDEST), async (folder) => {
      // The shebang of the program finds this Node.
      const env = { PATH: `${dirname(OLDEST.command)}:${process.env["PATH"]}`, PETSTORE_KEYS: "pk_test" };
      const [petstore, conformance] = ["petstore", "conformance"].map((name) =>
        join(folder, "node_modules/.bin", name)
      );
      const petstoreOf = async (...args: string[]) => (await succeed(petstore!, args, folder, env)).stdout;
      assert.equal(await petstoreOf("--version"), `petstore ${PACKAGES[0]!.config.version}\n`);
      assert.equal(JSON.parse(await petstoreOf("openapi")).openapi, "3.1.0");
      writeFileSync(join(folder, "pets.ndjson"), PET);
      await petstoreOf("import", "pets.ndjson");
      assert.equal(await petstoreOf("export"), `{"id":1,${PET.slice(1, -1)},"status":"available"}\n`);
      assert.match(await petstoreOf("check"), /^sqlite:data\/petstore\.db is sound: 1 pet\n$/);
      const copied = await run(petstore!, ["backup", "copy.db"], folder, env);
      // This Node cannot copy an open database.
      assert.match(copied.stderr, /^petstore: .*use Deno, or Node 22\.16 or later\n$/);

      await using server = start(petstore!, ["serve", "--port=0", "--store=memory:"], folder, env);
      const [, address = ""] = await server.printed(/listens on (http:\S+)$/m);
      const conformed = await succeed(conformance!, [address, "--only=store"], folder, env);
      assert.match(conformed.stdout, /^pass .*\nfull: \d+ passed, 0 failed\n$/m);

      const onPostgres = { ...env, PETSTORE_STORE: "postgres://127.0.0.1:9/pets" };
      rmSync(join(folder, "node_modules", "@petstore", "postgres"), { recursive: true });
      const missing = await run(petstore!, ["check"], folder, onPostgres);
      assert.match(missing.stderr, /cannot be loaded: .*; install it by npm install @petstore\/postgres, or /);
    }),
);
