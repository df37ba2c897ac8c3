/** Preloaded into Node: the package's names lead to this checkout, and a server takes a free port and prints it as Deno does. */

import { registerHooks } from "node:module";
import { Server } from "node:net";
import config from "../../deno.json" with { type: "json" };

const modules = Object.fromEntries(
  Object.entries(config.exports).map((
    [entry, path],
  ) => [config.name + entry.slice(1), new URL(`../../${path}`, import.meta.url).href]),
);
registerHooks({ resolve: (name, context, next) => next(modules[name] ?? name, context) });

const { listen } = Server.prototype;
Server.prototype.listen = function () {
  return listen.call(this, 0, "127.0.0.1", () => console.error(`Listening on http://127.0.0.1:${this.address().port}`));
};
