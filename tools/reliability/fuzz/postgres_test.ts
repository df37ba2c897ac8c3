import assert from "node:assert/strict";
import { whyNoPostgres } from "../../../tests/support/postgres/postgres.ts";
import { POSTGRES } from "../../../tests/support/stores.ts";
import { testUnless } from "../../../tests/support/system/commands.ts";
import { onStores } from "./ground.ts";
import { search } from "./search.ts";
import { Tally } from "./tally.ts";

testUnless(whyNoPostgres())("a petstore on PostgreSQL answers random requests as the model predicts", async () => {
  const finding = await search(onStores([POSTGRES]), { tally: new Tally(), seed: 20301205, sequences: 25 });
  assert.ok(!finding, finding && `${finding.text} --postgres`);
});
