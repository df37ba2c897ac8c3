/** Checks a condition until it holds. Fails after a minute. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const guard = AbortSignal.timeout(60_000); !await isSo();) {
    if (guard.aborted) throw new Error(`This never came: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
