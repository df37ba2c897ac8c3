/** Prism as a validating proxy: it answers a violation of the description with an error. */

import { command } from "./tools.ts";

/** Runs `use` with the address of a proxy in front of an API. */
export async function withPrism<T>(
  base: string,
  args: string[],
  use: (address: string) => Promise<T>,
  description = "generated/openapi.json",
): Promise<T> {
  const child = command("prism", ["proxy", description, base, "--errors", "--port=0", ...args]).spawn();
  const listens = Promise.withResolvers<string>();
  let output = "";
  const ends = [child.stdout, child.stderr].map(async (stream) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      output += text;
      const address = /Prism is listening on (\S+)/.exec(output)?.[1];
      if (address) listens.resolve(address);
    }
  });
  const ended = Promise.all(ends).then(() => listens.reject(new Error(`Prism ended: ${output}`)));
  try {
    return await use(await listens.promise);
  } finally {
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended already, and the test failed.
    }
    await ended;
  }
}
