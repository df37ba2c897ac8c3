/** `deno task test`: runs both halves of the tests at the same time, each to its end. Exits with 1 if one of them failed. */

const halves = ["test:servers", "test:library"].map((task) => {
  const args = ["task", "--quiet", "--eval", `deno task ${task} 2>&1`];
  const child = new Deno.Command(Deno.execPath(), { args, env: colors(), stdin: "null", stdout: "piped" }).spawn();
  // Both outputs are read as they come: a full pipe would stop its half.
  const [shown, read] = child.stdout.tee();
  return { task, shown, text: new Response(read).text(), status: child.status };
});

for (const { shown } of halves) await shown.pipeTo(Deno.stdout.writable, { preventClose: true });

for (const { task, text, status } of halves) {
  const summary = (await text).match(/^.*\b\d+ passed.*$/gm)?.at(-1) ?? "ended without a summary";
  console.log(`${task}: ${summary}`);
  if (!(await status).success) Deno.exitCode = 1;
}

/** A pipe has no colors unless it is told to. */
function colors(): Record<string, string> {
  return Deno.stdout.isTerminal() && !Deno.noColor ? { FORCE_COLOR: "1" } : {};
}
