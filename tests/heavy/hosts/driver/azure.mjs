/** Calls the functions of `@azure/functions` as the worker of Azure's host does, which gives them the module `@azure/functions-core`. */

import { Buffer } from "node:buffer";
import Module from "node:module";
import { loadProgram, serveFunction } from "./gateway.mjs";

const functions = [];
let model;

const core = {
  setProgrammingModel: (given) => model = given,
  registerFunction(metadata, callback) {
    const [name, { route }] = Object.entries(metadata.bindings).find(([, { type }]) => type === "httpTrigger");
    functions.push({ metadata, callback, name, route });
  },
  registerHook() {},
  log: (_level, _category, text) => console.error(text),
};
const { require } = Module.prototype;
Module.prototype.require = function (name) {
  return name === "@azure/functions-core" ? core : require.call(this, name);
};

await loadProgram();

/** The function whose route has this path. */
function functionFor(path) {
  return functions.find(({ route }) => {
    const [prefix, rest] = `/${route}`.split("{*path}");
    return rest === undefined ? path === prefix : path.startsWith(prefix);
  });
}

serveFunction(async ({ method, url, headers, body }) => {
  const found = functionFor(url.split("?", 1)[0]);
  if (found === undefined) return { status: 404, headers: {}, body: "" };
  const http = { method, url: `http://${headers.host}${url}`, headers, body: { bytes: body } };
  const invocation = model.getInvocationModel({
    invocationId: "1",
    metadata: found.metadata,
    log: core.log,
    request: { inputData: [{ name: found.name, data: { http } }], triggerMetadata: {} },
  });
  const { context, inputs } = await invocation.getArguments();
  const result = await invocation.invokeFunction(context, inputs, found.callback);
  const { returnValue } = await invocation.getResponse(context, result);
  const { statusCode, body: sent, ...answer } = returnValue.http;
  return { status: Number(statusCode), headers: answer.headers, body: Buffer.from(sent?.bytes ?? sent?.string ?? "") };
});
