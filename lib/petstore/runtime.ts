/**
 * Refuses a runtime that lacks functions of ES2024, when the library is imported. Without this
 * check, the first request that needs one of them would fail with a 500 whose cause only the log
 * shows. Of these functions, runtimes got the one that is looked for last.
 *
 * @throws {Error} If the runtime is too old. The message names the oldest releases that have it.
 */
export function requireEs2024(): void {
  if (typeof Promise.withResolvers === "function") return;
  throw new Error(
    "This runtime is too old for @petstore/petstore: it lacks Promise.withResolvers(). " +
      "Use Node.js 22.13, Deno 2.0, Bun 1.2 or later",
  );
}
