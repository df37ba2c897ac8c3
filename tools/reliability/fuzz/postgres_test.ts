import { whyNoPostgres } from "../../../tests/support/postgres/postgres.ts";
import { POSTGRES } from "../../../tests/support/stores.ts";
import { testUnless } from "../../../tests/support/system/commands.ts";
import { fuzz } from "./fuzz.ts";

testUnless(whyNoPostgres())(
  "two petstores on one PostgreSQL answer random requests as the model predicts",
  () => fuzz(POSTGRES, { seed: 20301205, sequences: 25 }),
);
