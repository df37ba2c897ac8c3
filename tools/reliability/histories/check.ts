/**
 * Is a history right? Ids ascend in the order in which pets become visible, so the state of the
 * store is one number: the greatest visible id. Each response says that it was at least one number,
 * or below another, at a moment between its request and its end.
 */

import assert from "node:assert/strict";
import { inspect } from "node:util";
import { formatPet, type PetDraft } from "../../../lib/stores/store.ts";
import type { Exchange } from "./history.ts";
import type { Asked } from "./plan.ts";

/** A pet that is stored at the end. */
interface Row {
  id: number;
  name: string;
  status: string;
  text: string;
}

/**
 * What is known of the greatest visible id at a moment between two places in time: it was `least`
 * or more, and below `below`.
 */
interface Bounds {
  begin: number;
  end: number;
  least: number;
  below: number;
  what: string;
}

type Create = Exchange & { asked: Extract<Asked, { kind: "create" }> };

/**
 * Throws unless the responses are those of a store that does one thing after the other.
 *
 * @param before The pets that were there before, with the ids from 1 on.
 * @param stored The pets that are stored at the end, as JSON, in the order of ids.
 */
export function checkHistory(
  before: readonly PetDraft[],
  exchanges: readonly Exchange[],
  stored: readonly string[],
): void {
  const rows = stored.map((text): Row => ({ ...JSON.parse(text), text }));
  const creates = exchanges.filter((exchange): exchange is Create => exchange.asked.kind === "create");
  checkStored(rows, [...before, ...creates.map(({ asked }) => asked.pet)]);
  for (const { asked, status, text } of creates) {
    const row = rows.find(({ name }) => name === asked.pet.name);
    if (status === 201) assert.equal(row?.text, text, `${text} was acknowledged, and ${row?.text} is stored`);
  }
  const least = before.length;
  checkOrder([
    { begin: 0, end: 0, least, below: least + 1, what: "The beginning" },
    ...rows.slice(before.length).map((row) => beginningOf(row, creates)),
    ...exchanges.map((exchange) => boundsOf(exchange, rows)),
  ]);
}

/** Each pet is one that was sent, once, and ids ascend. */
function checkStored(rows: readonly Row[], sent: readonly PetDraft[]): void {
  const drafts = new Map(sent.map((pet) => [pet.name, pet]));
  let last = 0;
  for (const { id, name, text } of rows) {
    const pet = drafts.get(name);
    assert(pet && text === formatPet({ id: BigInt(id), ...pet }), `${text} is stored twice, or was not sent`);
    assert(id > last, `${text} is stored with an id that is not above those before it`);
    drafts.delete(name);
    last = id;
  }
}

/** A pet is not visible before the beginning of its first create, one of which has not been refused for certain. */
function beginningOf({ id, name, text }: Row, creates: readonly Create[]): Bounds {
  const own = creates.filter(({ asked }) => asked.pet.name === name);
  assert(!own.every(isNotStored), `${text} is stored, and each of its creates was refused`);
  const begin = Math.min(...own.map((create) => create.begin));
  return { begin, end: begin, least: 0, below: id, what: `The beginning of the create of ${text}` };
}

function isNotStored({ status, text }: Exchange): boolean {
  return status === 503 && !text.includes("may have been stored");
}

function boundsOf({ asked, begin, end, status, text, next }: Exchange, rows: readonly Row[]): Bounds {
  const what = `${inspect(asked)} → ${status} ${text}`;
  const bounds = { begin, end, least: 0, below: Infinity, what };
  if (status === 503) {
    assert.match(text, /^\{"code":"store_unavailable","message":"[^"]+","status":503\}$/, what);
    return bounds;
  }
  if (asked.kind === "create") {
    assert.equal(status, 201, what);
    return { ...bounds, least: rows.find((row) => row.text === text)!.id };
  }
  if (asked.kind === "get") {
    const row = rows.find(({ id }) => id === asked.id);
    if (status === 404) return { ...bounds, below: row?.id ?? Infinity };
    assert.deepEqual([status, text], [200, row?.text], what);
    return { ...bounds, least: asked.id };
  }
  // A page is what is stored after an id, without a gap. The pet after it was visible if there is a
  // next page, and else was not.
  assert.equal(status, 200, what);
  const fitting = rows.filter((row) => row.id > asked.after && [row.status, undefined].includes(asked.status));
  const { length } = JSON.parse(text);
  const page = fitting.slice(0, length), following = fitting[length]?.id;
  assert.equal(text, `[${page.map((row) => row.text).join(",")}]`, what);
  if (next === undefined) return { ...bounds, least: page.at(-1)?.id ?? 0, below: following ?? Infinity };
  assert(length === asked.limit && following !== undefined, `${what} has a next page, and there is none`);
  return { ...bounds, least: following };
}

/** Each request sees what responses before it have shown. */
function checkOrder(all: readonly Bounds[]): void {
  for (const later of all) {
    for (const earlier of all) {
      const isRight = earlier.end >= later.begin || earlier.least < later.below;
      if (!isRight) assert.fail(`${later.what} does not show what was visible before: ${earlier.what}`);
    }
  }
}
