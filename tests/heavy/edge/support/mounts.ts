/** The HTTP contract of a petstore in an app. */

import assert from "node:assert/strict";
import type { Fetch } from "../../../../packages/client/mod.ts";
import { assertConforms } from "../../../support/conformance.ts";

/** The keys of the apps under test. */
export const APP_KEY = "pk_app";
export const APP_KEYS = `pk_other,${APP_KEY}`;

/** In some hosts, a client that continues to send a body that was refused gets a reset before it reads the 413. */
const LATE_REFUSAL = "answers 413 to 3 MiB, and takes 64 KiB";

/** Uses the own route of an app, and runs the cases of `@petstore/conformance` against its petstore at `/v1`. */
export async function testMount(origin: string, always: readonly string[] = [], send?: Fetch): Promise<void> {
  const own = await fetch(`${origin}/hello`);
  assert.deepEqual([own.status, await own.text()], [200, "Hello from the app"]);
  const target = { baseUrl: `${origin}/v1`, key: APP_KEY, ...send && { fetch: send } };
  await assertConforms(target, { always, sometimes: [LATE_REFUSAL] });
}
