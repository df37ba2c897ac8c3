/** Calls a handler with the events of a function URL of AWS Lambda. */

import { Buffer } from "node:buffer";
import { loadProgram, serveFunction } from "./gateway.mjs";

const { handler } = await loadProgram();

serveFunction(async ({ method, url, headers, body, address }) => {
  const [, rawPath, , rawQueryString = ""] = /^([^?]*)(\?(.*))?$/.exec(url);
  const requestContext = { http: { method, path: rawPath, sourceIp: address } };
  const event = { version: "2.0", rawPath, rawQueryString, headers, requestContext };
  const result = await handler({ ...event, body: body.toString("base64"), isBase64Encoded: true }, {});
  return {
    status: result.statusCode,
    headers: { ...result.headers, "set-cookie": result.cookies },
    body: Buffer.from(result.body, result.isBase64Encoded ? "base64" : "utf8"),
  };
});
