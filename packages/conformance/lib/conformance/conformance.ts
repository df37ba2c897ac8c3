/** The cases of the HTTP contract for a server that is known by its address and a key alone. */

import { excerpt } from "../json.ts";
import { HTTP_CASES } from "../http/all.ts";
import { type ApiTarget, createApi } from "../http/api.ts";
import { MismatchError } from "../http/assert.ts";
import { type HttpCase, NotApplicable, type Topic } from "../http/case.ts";
import { createRandom, DEFAULT_SEED } from "../http/generated/random.ts";
import { type ConformanceTarget, createRecorders, NoResponseError } from "./client.ts";
import { describeExchange, hide } from "./exchange.ts";

/** One case for a server in any language. */
export interface ConformanceCase extends Topic {
  /** The rest of a sentence that begins with "the petstore", such as `answers 404 to an id that no pet has`. */
  name: string;
  /** Why no server can be tested by its address alone, or false if one can. A runner should show the reason. */
  skip: string | false;
  /**
   * Sends the requests. Rejects with a {@link ConformanceError} if the server breaks the promise. Resolves to the reason if the
   * server's settings or its catalogue make the case impossible.
   */
  run(): Promise<string | undefined>;
}

/** The error of a case that fails. Nothing in it shows the key. */
export class ConformanceError extends Error {
  /** The name that test runners show. */
  override name = "ConformanceError";
  /** The broken promise. */
  readonly promise: string;
  /** What was wrong. */
  readonly reason: string;
  /** The last request, and its response as far as it came, as text. */
  readonly exchange: string;
  /** Whether there was no whole response. */
  readonly isUnanswered: boolean;

  /**
   * Creates the error of a case that failed.
   *
   * @param promise The broken promise.
   * @param reason What was wrong.
   * @param exchange The request and the response.
   * @param isUnanswered Whether there was no whole response.
   */
  constructor(promise: string, reason: string, exchange: string, isUnanswered: boolean) {
    super(`A petstore must keep this promise: ${promise}\n${reason}\n\n${exchange}`);
    this.promise = promise;
    this.reason = reason;
    this.exchange = exchange;
    this.isUnanswered = isUnanswered;
  }
}

/**
 * The cases of the HTTP contract for a server in any language. They take an empty or a filled catalogue, add at most 500 pets, and
 * remove none. Run them one after the other, while no other client adds pets.
 *
 * @throws {TypeError} If the base address is no HTTP address, or the key cannot be sent.
 */
export function conformanceCases(target: ConformanceTarget): ConformanceCase[] {
  const base = requireBase(target.baseUrl);
  const { key, seed = DEFAULT_SEED } = target;
  if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 32) {
    throw new TypeError("The seed must be a whole number below 2^32");
  }
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError("The key must consist of visible ASCII characters");
  const newRecorder = createRecorders(target);
  return HTTP_CASES.map((contractCase) => {
    const { area, level, promise, name } = contractCase;
    const run = async () => {
      const recorder = newRecorder();
      try {
        const random = createRandom(seed, name);
        await contractCase.run(createApi({ ...base, key, random, isOwn: false, exchange: recorder.exchange }));
      } catch (error) {
        if (error instanceof NotApplicable) return error.message;
        const exchange = recorder.last === undefined ? "" : describeExchange(recorder.last, key);
        const isUnanswered = error instanceof NoResponseError;
        throw new ConformanceError(promise, reasonOf(error, key), exchange, isUnanswered);
      }
      return undefined;
    };
    return { area, level, promise, name, skip: skipReason(contractCase), run };
  });
}

/** The first response of a server, by which the program tells whether a petstore is there. */
export interface FirstResponse {
  status: number;
  /** The address to which the response redirects, or empty. */
  location: string;
  /** Whether the body begins as HTML does. */
  isPage: boolean;
}

/** Asks for a list. Resolves to the response, or to the reason why there is none. */
export async function tryTarget(target: ConformanceTarget): Promise<FirstResponse | string> {
  const { key } = target, { exchange } = createRecorders(target)();
  const random = createRandom(DEFAULT_SEED, "");
  const api = createApi({ ...requireBase(target.baseUrl), key, random, isOwn: false, exchange });
  try {
    const { status, headers, text } = await api.get("/pets?limit=1");
    const location = hide(headers.get("location") ?? "", [key], 1);
    return { status, location, isPage: /^\s*</.test(text) };
  } catch (error) {
    return hide((error as Error).message, [key]);
  }
}

function requireBase(baseUrl: string): Pick<ApiTarget, "origin" | "basePath"> {
  const url = URL.parse(baseUrl);
  if (url && /^https?:$/.test(url.protocol) && `${url.search}${url.hash}${url.username}${url.password}` === "") {
    return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, "") };
  }
  throw new TypeError("The base address must be such as https://api.example/v1, without a user, a query or a fragment");
}

function skipReason({ options = {}, inProcess }: HttpCase): string | false {
  const [name] = Object.keys(options);
  return name === undefined ? inProcess ?? false : `it needs a petstore with the option ${name}`;
}

/**
 * The message of an error without the key. It is shortened after the key is hidden, because a part of a key could not
 * be found.
 */
function reasonOf(error: unknown, key: string): string {
  const edit = (text: string) => hide(text, [key]);
  if (error instanceof MismatchError) return error.describe(edit);
  return excerpt(edit(error instanceof Error ? error.message : String(error)), 800);
}
