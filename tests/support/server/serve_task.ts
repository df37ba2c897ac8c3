/** The flags that the task gives to `deno run`. With more permissions, a test would prove nothing. */
export function taskFlags(): string[] {
  const config = JSON.parse(Deno.readTextFileSync(new URL("../../../deno.json", import.meta.url)));
  const [deno, run, ...rest] = String(config.tasks.serve.command).split(" ");
  const [script, command] = rest.splice(-2);
  if (command !== "serve" || deno !== "deno" || run !== "run" || script !== "server.ts") {
    throw new Error("The task serve has another form");
  }
  return rest;
}

/** This process's environment without what the server reads. */
export function environment(): Record<string, string> {
  const all = Object.entries(Deno.env.toObject());
  return Object.fromEntries(all.filter(([name]) => name !== "PORT" && !name.startsWith("PETSTORE_")));
}
