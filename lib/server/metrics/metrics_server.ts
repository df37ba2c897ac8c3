/** Serves `/metrics` at an address of its own, so that nobody who reaches the API reaches it. */

import { FetchExchange, sendAnswer } from "../../hosts/fetch.ts";
import type { Answer } from "../../http/answer.ts";
import { createDispatcher } from "../../http/dispatch.ts";
import { INTERNAL_ERROR } from "../../http/errors.ts";
import { createPipeline } from "../../http/pipeline.ts";
import { chain } from "../../pending.ts";
import { VERSION } from "../../version.ts";
import { type Address, listen, type Listener } from "../listener.ts";
import { addSamples, formatSamples, labels, OPEN_METRICS, type Samples } from "./samples.ts";

/**
 * Listens for scrapes.
 *
 * @param read Reads what each isolate has counted.
 * @param report Receives lines for the operator.
 * @throws {SettingError} If it cannot listen at this address.
 */
export function serveMetrics(
  address: Address,
  read: () => readonly Samples[],
  report: (line: string) => void,
): Listener {
  const own: Samples = {
    petstore_build_info: {
      [`petstore_build_info${labels({ runtime: `deno ${Deno.version.deno}`, version: VERSION })}`]: 1,
    },
    process_start_time_seconds: { process_start_time_seconds: performance.timeOrigin / 1000 },
  };
  const scrape = (): Answer => ({
    status: 200,
    headers: { "content-type": OPEN_METRICS, "cache-control": "no-store" },
    body: formatSamples(addSamples([...read(), own])),
  });
  const onFailure = () => INTERNAL_ERROR.toAnswer();
  const dispatch = createDispatcher("", [{ path: "/metrics", methods: { GET: scrape } }], onFailure);
  const pipeline = createPipeline({ guards: [], kept: undefined, dispatch, cors: undefined, onFailure });
  return listen(address, (request) => {
    const exchange = new FetchExchange(request, request.headers);
    return chain(pipeline.respond(exchange), (answer) => sendAnswer(answer, exchange, pipeline));
  }, report);
}
