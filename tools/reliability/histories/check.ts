/**
 * Is a history right? Ids ascend in the order in which pets become visible, so the state of the store is one number: the greatest
 * visible id. Each response says that it was at least one number, or below another, at a moment between its request and its end.
 */

import { formatPet, type PetDraft } from "../../../lib/stores/store.ts";
import type { Asked, Exchange } from "./history.ts";

/** The pets that are stored at the end, as JSON, in the order of ids. */
export type Stored = readonly string[];

interface Row {
  id: number;
  text: string;
  pet: PetDraft;
}

/** What a response says of the greatest visible id: it was `least` or more, and below `below`. */
interface Bounds {
  begin: number;
  end: number;
  least: number;
  below: number;
  what: string;
}

class Wrong extends Error {}

function refuse(what: string): never {
  throw new Wrong(what);
}

/** Describes the first problem; `undefined` if the history is right. */
export function findProblem(
  before: readonly PetDraft[],
  exchanges: readonly Exchange[],
  stored: Stored,
): string | undefined {
  try {
    const creates = exchanges.filter(({ asked }) => asked.kind === "create");
    const drafts = new Map([...before, ...creates.map(({ asked }) => (asked as { pet: PetDraft }).pet)].map(
      (pet) => [pet.name, pet],
    ));
    const rows = readStored(stored, drafts);
    for (const name of drafts.keys()) checkCreates(name, creates, rows);
    const first = rows.findLast(({ pet }) => before.includes(pet))?.id ?? 0;
    const known = { begin: 0, end: 0, least: first, below: first + 1, what: "The beginning" };
    checkOrder([known, ...beginningsOf(creates, rows), ...exchanges.map((exchange) => boundsOf(exchange, rows))]);
    return undefined;
  } catch (error) {
    if (error instanceof Wrong) return error.message;
    throw error;
  }
}

/** Each pet is one that was sent, once, and ids ascend. */
function readStored(stored: Stored, drafts: ReadonlyMap<string, PetDraft>): Row[] {
  const rows: Row[] = [];
  for (const text of stored) {
    const { id, name } = JSON.parse(text) as { id: number; name: string };
    const pet = drafts.get(name);
    if (!pet || text !== formatPet({ id: BigInt(id), ...pet })) refuse(`${text} is stored, and was not sent`);
    if (rows.some((row) => row.pet === pet)) refuse(`${name} is stored twice`);
    if (id <= (rows.at(-1)?.id ?? 0)) refuse(`${text} is stored with an id that is not above those before it`);
    rows.push({ id, text, pet });
  }
  return rows;
}

/** A pet is stored if one of its creates was acknowledged, and only if not all were refused for certain. */
function checkCreates(name: string, creates: readonly Exchange[], rows: readonly Row[]): void {
  const own = creates.filter(({ asked }) => asked.kind === "create" && asked.pet.name === name);
  const row = rows.find(({ pet }) => pet.name === name);
  for (const { status, text } of own) {
    if (status === 201 && text !== row?.text) {
      refuse(`${text} was acknowledged, and ${row?.text ?? "no pet"} is stored`);
    }
  }
  if (row && own.length > 0 && own.every(isNotStored)) {
    refuse(`${row.text} is stored, and each of its creates was refused`);
  }
}

function isNotStored({ status, text }: Exchange): boolean {
  return status === 503 && !text.includes("may have been stored");
}

/** Finds, for each pet, the beginning of its first create, before which it is not visible. */
function beginningsOf(creates: readonly Exchange[], rows: readonly Row[]): Bounds[] {
  return rows.flatMap(({ id, pet }) => {
    const begins = creates.filter(({ asked }) => asked.kind === "create" && asked.pet.name === pet.name);
    if (begins.length === 0) return [];
    const begin = Math.min(...begins.map((create) => create.begin));
    return [{ begin, end: begin, least: 0, below: id, what: `The begin of the create of pet ${id}` }];
  });
}

function boundsOf(exchange: Exchange, rows: readonly Row[]): Bounds {
  const { asked, begin, end, status, text } = exchange;
  const what = `${describe(asked)} → ${status} ${text}`;
  const bounds = { begin, end, least: 0, below: Infinity, what };
  if (status === 503) {
    if (!/^\{"code":"store_unavailable","message":"[^"]+","status":503\}$/.test(text)) refuse(what);
    return bounds;
  }
  if (asked.kind === "list") return { ...bounds, ...boundsOfList(asked, exchange, rows, what) };
  if (asked.kind === "create") {
    if (status !== 201) refuse(what);
    return { ...bounds, least: rows.find((row) => row.text === text)!.id };
  }
  const row = rows.find(({ id }) => id === asked.id);
  if (status === 200 && row?.text === text) return { ...bounds, least: asked.id };
  if (status !== 404 || !text.startsWith('{"code":"pet_not_found",')) {
    refuse(`${what}, and ${row?.text ?? "no pet"} is stored`);
  }
  return { ...bounds, below: row?.id ?? Infinity };
}

/**
 * Reads the bounds of a page. It is what is stored after an id, without a gap; the pet after it was visible if there is
 * a next page, and else was not.
 */
function boundsOfList(
  { after, limit, status }: Extract<Asked, { kind: "list" }>,
  exchange: Exchange,
  rows: readonly Row[],
  what: string,
): Pick<Bounds, "least" | "below"> {
  if (exchange.status !== 200) refuse(what);
  const fitting = rows.filter(({ id, pet }) => id > after && (status === undefined || pet.status === status));
  const page = longestPage(fitting, exchange.text);
  if (!page || page.length > limit) refuse(`${what}, and after ${after} is stored ${fitting.map(({ text }) => text)}`);
  const following = fitting[page.length]?.id;
  if (exchange.next === undefined) return { least: page.at(-1)?.id ?? 0, below: following ?? Infinity };
  if (page.length < limit || following === undefined) refuse(`${what} has a next page, and there is none`);
  return { least: following, below: Infinity };
}

/** Returns the first rows, if the text shows exactly these. */
function longestPage(rows: readonly Row[], text: string): Row[] | undefined {
  for (let length = 0; length <= rows.length; length++) {
    const page = rows.slice(0, length);
    if (text === `[${page.map((row) => row.text).join(",")}]`) return page;
  }
  return undefined;
}

/** Throws unless each request sees what responses before it have shown. */
function checkOrder(all: readonly Bounds[]): void {
  const ended = all.toSorted((one, other) => one.end - other.end);
  let greatest = ended[0]!, next = 0;
  for (const bounds of all.toSorted((one, other) => one.begin - other.begin)) {
    for (; ended[next] && ended[next]!.end < bounds.begin; next++) {
      if (ended[next]!.least > greatest.least) greatest = ended[next]!;
    }
    if (greatest.end < bounds.begin && greatest.least >= bounds.below) {
      refuse(`${bounds.what} does not show what was visible before: ${greatest.what}`);
    }
  }
}

function describe(asked: Asked): string {
  if (asked.kind === "get") return `GET ${asked.id}`;
  if (asked.kind === "list") return `GET after ${asked.after}, limit ${asked.limit}, status ${asked.status ?? "any"}`;
  return `POST ${JSON.stringify(asked.pet.name)}${asked.key === undefined ? "" : `, key ${asked.key}`}`;
}
