/** Checks a condition until it holds. Fails after a minute, or after so many seconds. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, seconds = 60): Promise<void> {
  for (const guard = AbortSignal.timeout(1000 * seconds); !await isSo();) {
    if (guard.aborted) throw new Error(`This never came: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
