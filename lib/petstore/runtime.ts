/**
 * Refuses a runtime that lacks functions of ES2024, when the library is imported. Without this check, the first request that needs
 * one of them would fail with a 500 whose cause only the log shows.
 *
 * @throws {Error} If the runtime is too old. The message names what is missing, and the oldest releases that have it.
 */
export function requireEs2024(): void {
  const missing: string[] = [];
  if (typeof Promise.withResolvers !== "function") missing.push("Promise.withResolvers()");
  if (typeof ArrayBuffer.prototype.transfer !== "function") missing.push("ArrayBuffer.prototype.transfer()");
  if (missing.length === 0) return;
  throw new Error(
    `This runtime is too old for @petstore/petstore: it lacks ${missing.join(" and ")}. ` +
      "Use Node.js 22.13, Deno 2.0, Bun 1.2 or later",
  );
}
