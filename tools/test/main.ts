/** `deno task test`: runs the parts of the tests at the same time, each to its end. Exits with 1 if one of them failed. */

const parts = ["test:servers", "test:library", "test:stores", "test:node", "test:files"].map((task) => {
  const args = ["task", "--quiet", "--eval", `deno task ${task} 2>&1`];
  const child = new Deno.Command(Deno.execPath(), { args, env: colors(), stdin: "null", stdout: "piped" }).spawn();
  // All outputs are read as they come: a full pipe would stop its part.
  const [shown, read] = child.stdout.tee();
  return { task, shown, text: new Response(read).text(), status: child.status };
});

for (const { shown } of parts) await shown.pipeTo(Deno.stdout.writable, { preventClose: true });

for (const { task, text, status } of parts) {
  const summary = (await text).match(/^.*\b\d+ passed.*$/gm)?.at(-1) ?? "ended without a summary";
  console.log(`${task}: ${summary}`);
  if (!(await status).success) Deno.exitCode = 1;
}

/** A pipe has no colors unless it is told to. */
function colors(): Record<string, string> {
  return Deno.stdout.isTerminal() && !Deno.noColor ? { FORCE_COLOR: "1" } : {};
}
