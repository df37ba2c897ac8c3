/** The cases of the HTTP contract for a server that is known by its address and a key alone. */

import { HTTP_CASES } from "./http/all.ts";
import { type Api, createApi } from "./http/api.ts";
import type { Topic } from "./http/case.ts";
import { type ConformanceTarget, describeExchange, exchange, type Recorder, show } from "./exchange.ts";

/** How much of a reason is shown, in characters. */
const SHOWN = 800;

/** One case for a server in any language. */
export interface ConformanceCase extends Topic {
  /** The rest of a sentence that begins with "the petstore", such as `answers 404 to an id that no pet has`. */
  name: string;
  /** Sends the requests. Rejects with a {@link ConformanceError} if the server breaks the promise. */
  run(): Promise<void>;
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

  /**
   * Creates the error of a case that failed.
   *
   * @param promise The broken promise.
   * @param reason What was wrong.
   * @param exchange The request and the response.
   */
  constructor(promise: string, reason: string, exchange: string) {
    super(`A petstore must keep this promise: ${promise}\n${reason}\n\n${exchange}`);
    this.promise = promise;
    this.reason = reason;
    this.exchange = exchange;
  }
}

/**
 * The cases of the HTTP contract that can test a server in any language. They take an empty or a
 * filled catalogue, and leave the pets that they add. Run them one after the other, while no other
 * client adds pets.
 *
 * @throws {TypeError} If the base address is no HTTP address, or the key cannot be sent.
 */
export function conformanceCases(target: ConformanceTarget): ConformanceCase[] {
  const connect = connector(target);
  return HTTP_CASES.map(({ run, ...topic }) => ({
    ...topic,
    async run() {
      const recorder: Recorder = {};
      const api = connect(recorder);
      try {
        await run(api).catch((error) => {
          // A server that always closes the connection fails the second time too.
          if (recorder.last?.hasLostConnection) return run(api);
          throw error;
        });
      } catch (error) {
        const { last } = recorder;
        const shown = last ? describeExchange(last, target.key) : "";
        throw new ConformanceError(topic.promise, reasonOf(error, target.key), shown);
      }
    },
  }));
}

/** Asks for a list. Resolves to the reason why it is no use to run the cases, or to nothing. */
export async function whyNoPetstore(target: ConformanceTarget): Promise<string | undefined> {
  try {
    const { status } = await connector(target)({}).get("/pets?limit=1");
    if (status === 401 || status === 403) {
      return `answers ${status}, so it refuses the key; name one that may read and write`;
    }
    const isElsewhere = status === 404 || (status >= 300 && status < 400);
    return isElsewhere ? `answers ${status}, so it is not the base address of a petstore` : undefined;
  } catch (error) {
    return `cannot be reached: ${reasonOf(error, target.key)}`;
  }
}

/** Checks a target. Returns a function that makes a client of it, which tells the recorder of each exchange. */
function connector(target: ConformanceTarget): (recorder: Recorder) => Api {
  const { baseUrl, key } = target;
  const url = URL.parse(baseUrl);
  if (!url || !/^https?:$/.test(url.protocol) || `${url.search}${url.hash}${url.username}${url.password}` !== "") {
    const rule = "The base address must be such as https://api.example/v1, without a user, a query or a fragment";
    throw new TypeError(rule);
  }
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError("The key must consist of visible ASCII characters");
  const base = url.origin + url.pathname.replace(/\/+$/, "");
  return (recorder) => createApi({ base, key, exchange: (url, init) => exchange(target, recorder, url, init) });
}

function reasonOf(error: unknown, key: string): string {
  return show(String((error as Error).message), [key], SHOWN);
}
