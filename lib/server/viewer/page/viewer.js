/** Starts Swagger UI on the page. */

import { ExactNumbers } from "./exact_numbers.js";
import { HiddenKey } from "./hidden_key.js";
import { KeptKey, restoreKey } from "./kept_key.js";
import { Labels } from "./labels.js";
import { ShortFailures } from "./short_failures.js";
import { ShortInfo } from "./short_info.js";

// Swagger UI has dark colours, but does not look whether the user prefers them.
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const setColours = () => document.documentElement.classList.toggle("dark-mode", prefersDark.matches);
prefersDark.addEventListener("change", setColours);
setColours();

const ui = globalThis.SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#viewer",
  plugins: [ExactNumbers, HiddenKey, KeptKey, Labels, ShortFailures, ShortInfo],
  tryItOutEnabled: true,
  deepLinking: true,
  // The schemas stay closed, because they are longer than all else.
  defaultModelsExpandDepth: 0,
  // By default Swagger UI sends the description to a validator on another host.
  validatorUrl: null,
  onComplete: () => restoreKey(ui),
});
