import assert from "node:assert/strict";
import { whyNoPostgres } from "../../support/postgres/postgres.ts";
import { POSTGRES } from "../../support/stores.ts";
import { testUnless } from "../../support/system/commands.ts";
import { formatFinding, search } from "./search.ts";
import { Tally } from "./tally.ts";

testUnless(whyNoPostgres())("a petstore on PostgreSQL answers random requests as the model predicts", async () => {
  const extent = { seed: 20301205, sequences: 25 };
  const finding = await search({ stores: [POSTGRES], tally: new Tally() }, extent);
  assert.ok(!finding, finding && `${formatFinding(finding, extent)} --postgres`);
});
