import { test, type TestContext } from "node:test";

export type Define = (title: string, run: (t: TestContext) => unknown) => void;

/** `test` that skips for this reason, if any, and says so in its title. */
export function testUnless(reason: string | false): Define {
  return (title, run) =>
    void test(reason ? `${title} (skipped: ${reason})` : title, { skip: reason }, async (t) => void await run(t));
}

/** Tests that get what `provide` gives to its last argument. */
export function testWith<Given extends unknown[]>(
  provide: (use: (...given: Given) => Promise<void>) => unknown,
  define: Define = testUnless(false),
): (title: string, run: (...given: Given) => unknown) => void {
  return (title, run) => define(title, () => provide(async (...given) => void await run(...given)));
}
