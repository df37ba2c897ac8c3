/**
 * `deno task publish` publishes each package of this repository to JSR, the main package first,
 * because the others depend on it. It passes its arguments on to `deno publish`; `--dry-run`
 * publishes nothing. It ends with the first package that fails.
 */

import { join } from "node:path";
import { readPackages, ROOT } from "./packages.ts";

for (const { folder } of readPackages()) {
  const args = ["publish", ...Deno.args];
  const { success, code } = await new Deno.Command(Deno.execPath(), { args, cwd: join(ROOT, folder) }).spawn().status;
  if (!success) Deno.exit(code);
}
