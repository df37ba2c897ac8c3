/**
 * The library of a tree, through its exports alone: served with its pets in memory. A request to `/in-process` instead calls
 * `handle()` in a loop, without a socket.
 */

import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { AUTHORIZATION, CATALOGUE, KEY, MOST_PETS, NEW_PET } from "../catalogue.ts";
import { listen, readSettings } from "./host.ts";

export interface LibrarySettings {
  /** The folder with its mod.ts. */
  root: string;
  /** How much later each response comes, as over a network, in milliseconds. Default: 0. */
  delayMs?: number;
}

/** What a loop has measured. */
export interface Calls {
  /** Calls a second. */
  rate: number;
  /** Microseconds of processor time for a call. */
  processor: number;
}

const POSTED = { authorization: AUTHORIZATION, "content-type": "application/json" };

/** The calls, by their names in the query. */
const CALLS: Record<string, () => Request> = {
  get: () => request("/v1/pets/42"),
  random: () => request(`/v1/pets/${1 + Math.trunc(Math.random() * MOST_PETS)}`),
  list: () => request("/v1/pets"),
  filtered: () => request("/v1/pets?status=sold"),
  create: () => post(NEW_PET),
};

/** Requests that are created together before the clock starts. */
const BATCH = 500;

const { root, delayMs = 0 } = readSettings<LibrarySettings>();
const { createPetstore }: typeof import("../../mod.ts") = await import(pathToFileURL(join(root, "mod.ts")).href);
const { handle } = createPetstore({ keys: [KEY] });
for (let i = 0; i < MOST_PETS; i++) await handle(post(CATALOGUE[i % CATALOGUE.length]!));

const serve = delayMs === 0 ? handle : later;
await listen((request) => request.url.includes("/in-process?") ? inProcess(new URL(request.url)) : serve(request));

async function later(request: Request): Promise<Response> {
  const response = await handle(request);
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  return response;
}

async function inProcess({ searchParams }: URL): Promise<Response> {
  const make = CALLS[searchParams.get("call") ?? ""];
  if (make === undefined) return new Response(null, { status: 404 });
  return Response.json(await measure(make, Number(searchParams.get("seconds")) * 1000));
}

async function measure(make: () => Request, duration: number): Promise<Calls> {
  let calls = 0, spent = 0, used = 0;
  while (spent < duration) {
    const requests = Array.from({ length: BATCH }, make);
    const before = process.cpuUsage(), begin = performance.now();
    for (const request of requests) await handle(request);
    spent += performance.now() - begin;
    const { user, system } = process.cpuUsage(before);
    used += user + system;
    calls += BATCH;
  }
  return { rate: calls / spent * 1000, processor: used / calls };
}

function post(body: string): Request {
  // With its length, as every HTTP client sends it.
  return request("/v1/pets", { method: "POST", headers: { ...POSTED, "content-length": String(body.length) }, body });
}

function request(path: string, init: RequestInit = { headers: { authorization: AUTHORIZATION } }): Request {
  return new Request(`http://localhost${path}`, init);
}
