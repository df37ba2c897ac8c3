/** Preloaded into Node: the names of the packages lead to this checkout, and a server takes a free port and prints it as Deno does. */

import { Server } from "node:net";
import "./names.mjs";

const { listen } = Server.prototype;
Server.prototype.listen = function () {
  return listen.call(this, 0, "127.0.0.1", () => console.error(`Listening on http://127.0.0.1:${this.address().port}`));
};
