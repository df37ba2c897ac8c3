/** The files of a commit, in a folder of their own. */

import { join } from "node:path";
import { UsageError } from "../command_line.ts";
import { ROOT } from "../../tests/support/server/serve_task.ts";
import type { Program } from "../load/server_process.ts";

/** A tree of files. */
export interface Checkout {
  /** Its column of the table. */
  name: string;
  root: string;
  server: Program;
}

/** Today's files, with what is not committed. */
export async function thisTree(): Promise<Checkout> {
  return await readCheckout("this tree", ROOT);
}

/**
 * Writes the server and the library of a commit into a new folder.
 *
 * @throws {UsageError} If there is no such commit, or if it has other files.
 */
export async function checkOut(ref: string, folder: string): Promise<Checkout> {
  const commit = await git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`]);
  if (commit === undefined) {
    throw new UsageError(`there is no commit ${JSON.stringify(ref)} in the repository of ${ROOT}`);
  }
  const root = join(folder, "checkout"), archive = join(folder, "checkout.tar");
  // An archive and no worktree of git, which would stay in its list after a kill.
  const isWhole = await git(["archive", `--output=${archive}`, commit, "deno.json", "mod.ts", "server.ts", "lib"]);
  if (isWhole === undefined) throw new UsageError(`${ref} lacks deno.json, mod.ts, server.ts or lib`);
  await Deno.mkdir(root);
  const { success } = await new Deno.Command("tar", { args: ["-x", "-f", archive, "-C", root] }).output();
  if (!success) throw new Error(`tar could not unpack ${archive}`);
  await Deno.remove(archive);
  return await readCheckout(ref, root);
}

async function readCheckout(name: string, root: string): Promise<Checkout> {
  const { tasks } = JSON.parse(await Deno.readTextFile(join(root, "deno.json")));
  const [, flags] = /^deno run (.*)server\.ts$/.exec(tasks.program?.command ?? "") ?? [];
  if (flags === undefined) throw new UsageError(`${name} has no task "program" that runs server.ts`);
  // The lock file is that of a package which the archive lacks. No server of a comparison loads a package.
  const used = flags.split(" ").filter((flag) => flag !== "" && flag !== "--frozen" && !flag.startsWith("--lock="));
  return { name, root, server: { flags: [...used, "--no-lock"], script: join(root, "server.ts") } };
}

/** The output of a command of git without its line break, or `undefined` if it fails. */
async function git(args: readonly string[]): Promise<string | undefined> {
  try {
    const { success, stdout } = await new Deno.Command("git", { args: ["-C", ROOT, ...args], stderr: "null" }).output();
    return success ? new TextDecoder().decode(stdout).trim() : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new UsageError("--against needs git, which is not installed");
    throw error;
  }
}
