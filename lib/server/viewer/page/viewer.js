/** Starts Swagger UI on the page. */

import { ExactNumbers } from "./exact_numbers.js";
import { KeptKey, restoreKey } from "./kept_key.js";
import { ShortFailures } from "./short_failures.js";
import { ShortInfo } from "./short_info.js";

const ui = globalThis.SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#viewer",
  plugins: [ExactNumbers, KeptKey, ShortFailures, ShortInfo],
  tryItOutEnabled: true,
  deepLinking: true,
  // The schemas stay closed, because they are longer than all else.
  defaultModelsExpandDepth: 0,
  // By default Swagger UI sends the description to a validator on another host.
  validatorUrl: null,
  onComplete: () => restoreKey(ui),
});
