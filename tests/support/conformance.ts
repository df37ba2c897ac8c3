/** Runs the cases for a server that is known by its address, and makes servers that are wrong. */

import assert from "node:assert/strict";
import {
  conformanceCases,
  ConformanceError,
  type ConformanceTarget,
  type Handle,
} from "../../packages/conformance/mod.ts";
import { createPetstore } from "../../mod.ts";
import { KEY } from "./api.ts";

type Outcomes = Record<"passed" | "failed", string[]> & { errors: ConformanceError[] };

/** @param untilFailure Whether the first case that fails ends the run. */
export async function runCases(
  target: Partial<ConformanceTarget>,
  chosen: "specification" | "full" = "full",
  untilFailure = false,
): Promise<Outcomes> {
  const outcomes: Outcomes = { passed: [], failed: [], errors: [] };
  const cases = conformanceCases({ baseUrl: "https://petstore.example/v1", key: KEY, ...target });
  for (const { name, level, run } of cases) {
    if (chosen === "specification" && level !== chosen) continue;
    if (untilFailure && outcomes.failed.length > 0) break;
    try {
      await run();
      outcomes.passed.push(name);
    } catch (error) {
      assert.ok(error instanceof ConformanceError, `${name}: ${error}`);
      outcomes.failed.push(name);
      outcomes.errors.push(error);
    }
  }
  return outcomes;
}

/** The cases with a path that does not decode (`%zz`), which some hosts refuse themselves. */
export const UNDECODABLE_PATH: readonly string[] = [
  "answers 404 pet_not_found to every petId that no pet has, or could have",
  "answers 404 route_not_found to every path without a route",
];

/** The names of cases that a host breaks always, or only sometimes. */
interface Differing {
  always?: readonly string[];
  sometimes?: readonly string[];
}

/** Runs all cases against a server. Those that differ always must fail, and no others. */
export async function assertConforms(
  target: ConformanceTarget,
  { always = [], sometimes = [] }: Differing = {},
): Promise<void> {
  const { passed, failed, errors } = await runCases(target);
  const found = failed.filter((name) => !sometimes.includes(name));
  assert.deepEqual(found.toSorted(), always.toSorted(), errors.map(({ message }) => message).join("\n\n"));
  assert.ok(passed.length > 20, `only ${passed.length} cases have passed`);
}

export function newPetstore(): Handle {
  const { handle } = createPetstore({ keys: [KEY] });
  return async (request) => await handle(request);
}

/** Changes the body and the head of some responses of a petstore. */
type Change = (response: { status: number; headers: Headers; text: string }, request: Request) => void;

export function changed(change: Change, accept: (request: Request) => Request = (request) => request): Handle {
  const petstore = newPetstore();
  return async (request) => {
    const { status, headers, body } = await petstore(accept(request));
    const seen = { status, headers: new Headers(headers), text: await new Response(body).text() };
    change(seen, request);
    if (request.method !== "HEAD") seen.headers.delete("content-length");
    return new Response(seen.text === "" ? null : seen.text, { status: seen.status, headers: seen.headers });
  };
}
