/** Which failures may pass by themselves. */

import assert from "node:assert/strict";
import test from "node:test";
import { StoreUnavailableError } from "../../lib/stores/store.ts";
import { isTemporary } from "../../lib/temporary_errors.ts";

test("an error is temporary if it says so, or if it or a cause of it has a code of the system for a state that may pass", () => {
  const full = Object.assign(new Error("no space"), { code: "ENOSPC" });
  const missing = Object.assign(new Error("no file"), { code: "ENOENT" });
  const store = (options: { cause?: unknown; isTemporary?: boolean }) => new StoreUnavailableError("down", options);
  for (
    const error of [
      full,
      store({ cause: full }),
      store({ cause: store({ cause: full }) }),
      store({ isTemporary: true }),
    ]
  ) {
    assert.equal(isTemporary(error), true, String(error.cause ?? error));
  }
  for (const error of [missing, store({ cause: missing }), store({}), "ENOSPC", undefined]) {
    assert.equal(isTemporary(error), false, String(error));
  }
});
