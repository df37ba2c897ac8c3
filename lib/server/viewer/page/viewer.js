/** Starts Swagger UI on the page. */

import { ACTIONS, COMPONENTS, restoreKey } from "./components.js";

// Swagger UI has dark colours, but does not look whether the user prefers them.
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const setColours = () => document.documentElement.classList.toggle("dark-mode", prefersDark.matches);
prefersDark.addEventListener("change", setColours);
setColours();

const ui = globalThis.SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#viewer",
  plugins: [{ wrapComponents: COMPONENTS, statePlugins: { auth: { wrapActions: ACTIONS } } }],
  tryItOutEnabled: true,
  deepLinking: true,
  // The schemas stay closed, because they are longer than all else.
  defaultModelsExpandDepth: 0,
  // By default Swagger UI sends the description to a validator on another host.
  validatorUrl: null,
  onComplete: () => restoreKey(ui),
});
