/** Creates: in memory compared with the limit, durable ones compared with memory, and reads during durable creates. */

import { checkLimit, checkStatus, readResponses } from "../responses.ts";
import type { Bench, Group } from "../bench.ts";
import { NEW_PET } from "../catalogue.ts";
import { load } from "../load/wrk.ts";
import { measureRounds, rateRow, withLoad } from "../rounds.ts";
import { type Floor, ratioOf, type Row } from "../row.ts";

export const WRITES: Group = [
  { name: "post-memory", quick: true, run: inMemory },
  { name: "post-durable", quick: true, run: durably },
];

/** The case of reads during creates. */
export const DISTURBANCE: Group = [{ name: "get-while-posting", quick: true, run: readersMeanwhile }];

/** 64 connections that create pets. */
export const POST = load("/v1/pets", { method: "POST", body: NEW_PET, status: 201 });

async function inMemory(bench: Bench): Promise<Row[]> {
  const memory = await bench.petstore("memory");
  const hono = await bench.peer("hono.ts", "Deno");
  const responses = await readResponses(memory, POST);
  const limit = await bench.limit(responses, { reads: "body" });
  const reader = await bench.limit(responses, { reads: "json" });
  const creator = await bench.limit(responses, { reads: "pet" });
  for (const server of [memory, hono, creator]) await checkStatus(server, POST);
  for (const server of [limit, reader]) await checkLimit(server, POST, responses);
  const series = await measureRounds(withLoad({ limit, reader, creator, memory, hono }, POST), bench.effort);
  const parts = { name: "post-memory", title: "POST" };
  const floor: Floor = { bound: "at least", value: 0.85 }, ofReader: Floor = { bound: "at least", value: 0.95 };
  return [
    rateRow({ ...parts, subject: "memory store", base: "limit", floor }, series.memory, series.limit),
    rateRow({ ...parts, subject: "limit that reads", base: "limit" }, series.reader, series.limit),
    rateRow(
      { ...parts, subject: "limit that reads and answers", base: "limit that reads" },
      series.creator,
      series.reader,
    ),
    rateRow(
      { ...parts, subject: "memory store", base: "limit that reads", floor: ofReader },
      series.memory,
      series.reader,
    ),
    rateRow({ ...parts, subject: "memory store", base: "Hono" }, series.memory, series.hono),
    rateRow({ ...parts, subject: "Hono", base: "limit" }, series.hono, series.limit),
  ];
}

async function durably(bench: Bench): Promise<Row[]> {
  const memory = await bench.petstore("memory");
  const sqlite = await bench.petstore("sqlite");
  const each = await bench.petstore("one-commit-each");
  for (const server of [memory, sqlite, each]) await checkStatus(server, POST);
  const series = await measureRounds(withLoad({ memory, sqlite, each }, POST), bench.effort);
  const parts = { name: "post-durable", title: "Durable POST, 64 connections", subject: "SQLite store" };
  const ofMemory: Floor = { bound: "at least", value: 0.7 }, ofEach: Floor = { bound: "at least", value: 10 };
  return [
    rateRow({ ...parts, base: "memory store", floor: ofMemory }, series.sqlite, series.memory),
    rateRow({ ...parts, base: "one commit each", floor: ofEach }, series.sqlite, series.each),
  ];
}

async function readersMeanwhile(bench: Bench): Promise<Row[]> {
  const server = await bench.petstore("sqlite");
  const asked = load("/v1/pets/4242");
  await checkStatus(server, asked);
  await checkStatus(server, POST);
  const quiet = { server, load: asked };
  const series = await measureRounds({ quiet, busy: { ...quiet, background: POST } }, { ...bench.effort, seconds: 2 });
  const [busy, alone] = [series.busy, series.quiet].map((measured) => measured.map(({ p99 }) => p99));
  return [{
    name: "get-while-posting",
    title: "p99 of GET one while 64 connections create durably",
    subject: "SQLite store",
    base: "its p99 alone",
    unit: "×",
    figure: ratioOf(busy ?? [], alone ?? []),
    floor: { bound: "at most", value: 2 },
    notes: [],
  }];
}
