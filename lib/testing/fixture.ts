/** The store under test, and what of the contract applies to it. */

import type { MaybePromise, PetStore } from "../../mod.ts";
import type { Need, OptionalMember } from "./store/case.ts";

/**
 * Who sees the pets of a store.
 *
 * - `"none"`: the pets end with the store that has them.
 * - `"restarts"`: a later store sees them, after the first was closed.
 * - `"one machine"`: several stores see them at once. They may measure time with the clock of that machine.
 * - `"many machines"`: the same from several machines, whose clocks may differ. To try that, a case replaces `Date` in this process for
 *   a moment.
 */
export type Sharing = "none" | "restarts" | "one machine" | "many machines";

/** The store under test. */
export interface StoreFixture {
  /**
   * Opens a store. A place is one set of pets, such as a file or a prefix of keys. Each case gets a new one, which has no pets;
   * stores that are opened at one place have the same pets, if {@link StoreFixture.sharing} says so. The cases close what they
   * open, except after a crash.
   *
   * @param place A name such as `case_k3v9x2m4`: up to 20 lower-case letters, digits and `_`.
   */
  open(place: string): MaybePromise<PetStore>;
  /** Deletes what a place has. It is called at the end of each case, after the stores were closed. */
  remove?(place: string): MaybePromise<void>;
  /**
   * Ends the programs that have the stores of a place open, in the middle of what they do: cuts their connections, or kills their
   * processes. A database that serves them may go on. The place can be opened again afterwards, and the cases do not close these
   * stores any more. Without this method, the cases about crashes are skipped.
   */
  crash?(place: string): MaybePromise<void>;
  /** Who sees the pets of a place. */
  sharing: Sharing;
  /** The optional members that the store lacks. Their cases are skipped. Default: none. */
  lacks?: readonly OptionalMember[];
}

const SHARINGS: readonly Sharing[] = ["none", "restarts", "one machine", "many machines"];

const OPTIONAL: readonly OptionalMember[] = ["createOnce", "changes", "checkWrites", "keys"];

/** @throws {TypeError} If it is not a subject. */
export function requireFixture(subject: StoreFixture): void {
  if (typeof subject?.open !== "function") throw new TypeError("The subject must have a method open(place)");
  if (!SHARINGS.includes(subject.sharing)) {
    throw new TypeError(
      `The sharing of a subject must be one of ${SHARINGS.join(", ")}, not ${JSON.stringify(subject.sharing)}`,
    );
  }
}

/** Opens a store. */
export async function openAt(subject: StoreFixture, place: string): Promise<PetStore> {
  let store: PetStore;
  try {
    store = await subject.open(place);
  } catch (error) {
    throw failed("open", error);
  }
  if (typeof store?.create === "function") return store;
  throw new FixtureError("The subject's open() gave no store");
}

/** Checks that a store lacks the members that its subject says, and no others. */
export function requireMembers({ lacks = [] }: StoreFixture, store: PetStore): void {
  const lacking = OPTIONAL.filter((member) => store[member] === undefined);
  if (OPTIONAL.every((member) => lacking.includes(member) === lacks.includes(member))) return;
  throw new FixtureError(
    `The store lacks ${listed(lacking)}, but its subject says ${listed(lacks)}; if the store is right, ` +
      `the subject needs lacks: ${JSON.stringify(lacking)}`,
  );
}

function listed(members: readonly OptionalMember[]): string {
  return members.join(", ") || "nothing";
}

/** Crashes the stores of a place. */
export async function crashAt(subject: StoreFixture, place: string): Promise<void> {
  try {
    await subject.crash?.(place);
  } catch (error) {
    throw failed("crash", error);
  }
}

/** A failure of the subject, not of the store. */
export class FixtureError extends Error {
  override name = "FixtureError";
}

function failed(method: "open" | "crash", cause: unknown): FixtureError {
  const what = cause instanceof Error ? cause.message : String(cause);
  return new FixtureError(`The subject's ${method}() has failed: ${what}`, { cause });
}

/** Why a case with these needs does not apply to a subject; false if it does. */
export function whyNot(subject: StoreFixture, needs: readonly Need[]): string | false {
  const missing = needs.find((need) => !MEETS[need](subject));
  return missing === undefined ? false : REASONS[missing];
}

const MEETS: Record<Need, (subject: StoreFixture) => boolean> = {
  createOnce: ({ lacks }) => !lacks?.includes("createOnce"),
  changes: ({ lacks }) => !lacks?.includes("changes"),
  checkWrites: ({ lacks }) => !lacks?.includes("checkWrites"),
  keys: ({ lacks }) => !lacks?.includes("keys"),
  restarts: ({ sharing }) => sharing !== "none",
  servers: ({ sharing }) => sharing === "one machine" || sharing === "many machines",
  machines: ({ sharing }) => sharing === "many machines",
  crash: ({ crash }) => crash !== undefined,
};

const REASONS: Record<Need, string> = {
  createOnce: "the store has no createOnce()",
  changes: "the store has no changes()",
  checkWrites: "the store has no checkWrites()",
  keys: "the store keeps no API keys",
  restarts: "the pets end with the store",
  servers: "one store has the pets alone",
  machines: "the servers have one clock",
  crash: "the subject has no crash()",
};
