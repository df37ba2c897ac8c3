/** The cases of `@petstore/conformance`, through the nginx of docs/nginx.conf. Clients see no difference but that which is named here. */

import { assertConforms, UNDECODABLE_PATH } from "../../support/conformance.ts";
import { UNLIMITED, whyNoNginx, withProxy } from "../../support/nginx/nginx.ts";
import { testUnless } from "../../support/system/commands.ts";

testUnless(whyNoNginx())(
  "through nginx, the petstore keeps the HTTP contract",
  () =>
    withProxy(
      UNLIMITED,
      ({ origin }) => assertConforms({ baseUrl: `${origin}/v1`, key: "k" }, { always: UNDECODABLE_PATH }),
    ),
);
