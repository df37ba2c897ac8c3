/**
 * Makes a reply of the `Response` that a function of the app returns. Its body is read to its end
 * first, so the reply is data like every other. A cache, HEAD or a host need not know that it came
 * from the app. No stream of the app can fail while a client waits for it.
 */

import { untilAborted } from "../promises.ts";
import { type BodyLimits, cancelLater, openReader, readPieces } from "./body_stream.ts";
import { isInterruption } from "./interruption.ts";
import { Problem } from "./problem.ts";
import type { Reply } from "./reply.ts";

/** A body without an end would fill the memory. */
const LIMITS: BodyLimits = {
  maxBytes: 16 * 1_048_576,
  tooLarge: /* @__PURE__ */ new TypeError("The Response is longer than 16 MiB"),
};

/** The statuses whose responses never have a body. A `Response` cannot be made with even an empty one. */
const BODILESS = [204, 205, 304];

/**
 * The names of fields that are not sent on: those about the connection to an upstream, whose
 * response the app passes on (RFC 9110 §7.6.1), and those about the form of the body, which the
 * host sets. Cookies are kept apart.
 */
const NOT_SENT_ON =
  "connection,content-length,keep-alive,proxy-connection,set-cookie,te,trailer,transfer-encoding,upgrade";

/** A character that a `Response` may have in a header, but that Node refuses to send, and that ends Deno's process. */
const UNSENDABLE = /[^\t -~\x80-\xff]/;

/** The first bytes of a body in gzip (RFC 1952 §2.3.1) and in zstd (RFC 8878 §3.1.1). */
const CODED = /^(31,139,8|40,181,47,253)\b/;

/**
 * The requests that apps are answering. Node's `Request` hears of an abort only until it is
 * collected as garbage, and while a body of the app stalls, nothing else holds it.
 */
const ANSWERING = /* @__PURE__ */ new Set<Request>();

/** No client sees this. Logs and metrics do. */
const CLIENT_LEFT = /* @__PURE__ */ new Problem(400, "bad_request", "The client disconnected");

/**
 * Lets a function of the app answer a request, and reads its response. That a client leaves
 * meanwhile is no failure of the service.
 *
 * @throws What the function throws.
 * @throws {TypeError} If the response cannot be sent.
 */
export async function askApp(request: Request, answer: () => Response | Promise<Response>): Promise<Reply> {
  const { signal } = request;
  const release = () => ANSWERING.delete(request);
  if (!signal.aborted) ANSWERING.add(request);
  // An app may never answer, so its request is held no longer than the client waits.
  signal.addEventListener("abort", release);
  try {
    return await readResponse(await answer(), signal);
  } catch (thrown) {
    // The app may have given the signal to `fetch`, which then throws its reason. A host may abort it with any reason.
    if (signal.aborted && (thrown === signal.reason || isInterruption(thrown))) return CLIENT_LEFT;
    throw thrown;
  } finally {
    signal.removeEventListener("abort", release);
    release();
  }
}

/**
 * @param response What the app has returned. It may be anything, and its members may throw. Its
 * class is not asked, because Hono on Node replaces the global `Response`, and `fetch` still
 * returns the original one.
 * @param signal Aborted when the client leaves. The body is cancelled then.
 * @throws The reason of the signal, if the client has left.
 */
async function readResponse(response: Response, signal: AbortSignal): Promise<Reply> {
  // A handler that forgets `return` gives `undefined`, which has no members.
  const given: Response = Object(response);
  // On Bun, reading `body` removes the Content-Type of a form. So the headers are copied first.
  const headers = new Headers(given.headers);
  // Each member is read once, because it may have another value at the next reading.
  const { status, url, bodyUsed, body } = given;
  if (bodyUsed) throw new TypeError("The Response has already been read");
  // Only a response of `fetch` has a URL.
  const isOfFetch = !!url;
  const reader = body && (isOfFetch ? body.getReader() : openReader(body));
  try {
    requireFinalStatus(status);
    const fields = sendableFields(headers);
    const bytes = reader && await untilAborted(signal, readPieces(reader, LIMITS));
    if (isOfFetch && !isCoded(bytes)) delete fields["content-encoding"];
    signal.throwIfAborted();
    const hasBody = !BODILESS.includes(status);
    return { status, headers: fields, cookies: headers.getSetCookie(), body: hasBody ? bytes : null };
  } catch (thrown) {
    if (reader) cancelLater(reader);
    throw thrown;
  }
}

/** A lower status is no final response, and `Response.error()` has the status 0. */
function requireFinalStatus(status: unknown): void {
  const isFinal = Number.isInteger(status) && (status as number) >= 200 && (status as number) <= 599;
  if (!isFinal) throw new TypeError(`The Response must have a status from 200 to 599, not ${status}`);
}

/**
 * The fields that are sent on, without cookies.
 *
 * @throws {TypeError} If one cannot be sent.
 */
function sendableFields(headers: Headers): Record<string, string> {
  // The field Connection names further ones.
  const dropped = `${NOT_SENT_ON},${headers.get("connection")}`.toLowerCase().split(",").map((name) => name.trim());
  const fields: Record<string, string> = {};
  for (const [name, value] of headers) {
    if (UNSENDABLE.test(value)) throw new TypeError(`Header ${name} cannot be sent`);
    if (!dropped.includes(name)) fields[name] = value;
  }
  return fields;
}

/**
 * Whether a body of `fetch` still has the coding that its header names. `fetch` usually decodes a
 * body and leaves the header as it was, but not always: on Deno, it keeps the coding in the
 * response to a request with `Range`.
 */
function isCoded(body: Uint8Array | null): boolean {
  return CODED.test(String(body?.subarray(0, 4)));
}
