/** The commands that manage API keys. */

import { createKeyManager } from "../../access/create_key_manager.ts";
import { digestOf } from "../../access/key_digest.ts";
import { type AddedKey, checkNewKey } from "../../access/key_manager.ts";
import type { KeyInfo, KeyStore, StoredKey } from "../../stores/key_store.ts";
import { isValid } from "../first_key/first_key.ts";
import { KEY_FILE, removeRevokedKey } from "../first_key/key_file.ts";
import { commandLine, oneLine } from "../process/messages.ts";
import type { Context } from "../process/runtime.ts";
import { SettingError, UnreachableError } from "../process/start_error.ts";
import { checkAsSetting, DURATION, EXPIRY, SWITCH, text } from "../settings/formats.ts";
import { SETTINGS } from "../settings/server_settings.ts";
import { findSharedStore, type SharedStore } from "../settings/store_setting.ts";
import { declareCommand } from "./command.ts";

/** Where the keys are, for the help texts. */
const STORAGE_HELP =
  "The store keeps the keys beside the pets, in the SQLite file or the database. Running servers accept a new key at once, " +
  "and follow other changes within a second.";

/** What messages about an unusable store begin with. */
const FAILURE = "The API keys cannot be used";

export const ADD_KEY = declareCommand({
  summary: "make an API key, and print it",
  options: {
    store: SETTINGS.store,
    label: { format: text("text"), help: "what the key is for" },
    expires: {
      format: EXPIRY,
      help: "when the key expires: 12h, 90d or 1w from now, or 2031-12-31, at the beginning of this day in UTC. " +
        "Without it, never",
    },
    "read-only": { format: SWITCH, help: "the key may only read" },
  },
  about: `The store keeps only a digest of the key, so the key cannot be shown again. ${STORAGE_HELP}`,
  examples: [
    "petstore keys add --label ci --expires 90d",
    "petstore keys add --label dashboard --read-only > dashboard.key",
  ],
  failure: FAILURE,
  async run({ store, label, expires, "read-only": readOnly = false }, context) {
    if (!label) throw new SettingError(`Say what the key is for, as in ${commandLine("keys add --label ci")}`);
    const newKey = { label, readOnly, ...(expires && { expires }) };
    // The options are checked before the store is opened, because opening it may create it.
    checkAsSetting(() => checkNewKey(newKey));
    const setting = await findSharedStore(store, context.environment);
    await useKeys(setting, context, async (keys) => await printKey(await createKeyManager(keys).add(newKey), context));
  },
});

export const LIST_KEYS = declareCommand({
  summary: "list the API keys",
  options: { store: SETTINGS.store, json: { format: SWITCH, help: "print JSON, with times in UTC (ISO 8601)" } },
  about: `The list includes keys that have expired or were revoked. ${STORAGE_HELP}`,
  examples: ["petstore keys list", "petstore keys list --json | jq '.[] | select(.expires == null)'"],
  failure: "The API keys cannot be read",
  async run({ store, json }, { output, environment }) {
    const shared = await findSharedStore(store, environment);
    const keys = await shared.listKeys();
    output.add(json ? keysAsJson(keys) : describeKeys(keys));
  },
});

export const ROTATE_KEY = declareCommand({
  summary: "replace an API key with a new one, and print the new key",
  options: {
    store: SETTINGS.store,
    overlap: { format: DURATION, default: "1d", help: "how long the old key stays valid, such as 7d" },
  },
  operand: "id",
  about:
    "The new key has the label, the caller and the rights of the old one, and lives as long as the old one did. The old key expires after " +
    `the overlap. ${STORAGE_HELP}`,
  examples: ["petstore keys rotate key-5d0c6a1f1f0b --overlap 7d"],
  failure: FAILURE,
  async run({ store, overlap }, context, operand) {
    const setting = await findSharedStore(store, context.environment);
    const { id } = (await findKey(operand, setting)).key;
    await useKeys(setting, context, async (keys) => {
      const successor = await createKeyManager(keys).rotate(id, { overlapMs: overlap });
      context.report(`${id} expires after the overlap, or earlier if it was to expire earlier`);
      await printKey(successor, context);
    });
  },
});

export const REVOKE_KEY = declareCommand({
  summary: "revoke an API key",
  options: { store: SETTINGS.store },
  operand: "id",
  about: "In place of the id you can give the key itself, if it has leaked. If " +
    `${KEY_FILE} contains the key, this file is removed. ${STORAGE_HELP}`,
  examples: ["petstore keys revoke key-5d0c6a1f1f0b"],
  failure: FAILURE,
  async run({ store }, context, operand) {
    const { output, report, environment } = context;
    const setting = await findSharedStore(store, environment);
    const { key: { id, digest }, others } = await findKey(operand, setting);
    await useKeys(setting, context, async (keys) => {
      await keys.revoke(id, new Date());
      output.add(oneLine(`${id} is revoked`));
      (await removeRevokedKey(digest, setting.path)).forEach(report);
      if (!others.some(isValid)) report(`no key of the store is valid now; ${commandLine("keys add")} makes one`);
    });
  },
});

/**
 * Finds the key that an operand names, by its id or by the key itself, and the other keys of the
 * store. This reads the store without opening it, and fails if the store does not exist: to open it
 * would make it.
 *
 * @throws {SettingError} If there is no such key. The message does not quote the operand, because
 * it may be a key.
 */
async function findKey(operand: string, setting: SharedStore): Promise<{ key: StoredKey; others: StoredKey[] }> {
  const stored = await setting.listKeys();
  const digest = await digestOf(operand);
  const key = stored.find((candidate) => candidate.id === operand || candidate.digest === digest);
  if (key) return { key, others: stored.filter((other) => other !== key) };
  throw new SettingError(`There is no such key; ${commandLine("keys list")} shows the ids`);
}

/** Opens the keys of a store for `use`, and closes the store afterwards. A store that does not exist is made. */
async function useKeys(
  { description, open }: SharedStore,
  { report }: Context,
  use: (keys: KeyStore) => Promise<void>,
): Promise<void> {
  const store = await open();
  try {
    await use(store.keys);
    // A new store is told, because a key that is added in the wrong folder or database would be of no use.
    if (store.isNew) report(`${description} is new; servers that use it will accept the key`);
  } finally {
    await store.close();
  }
}

/**
 * Prints a key, which the store has already.
 *
 * @throws {UnreachableError} If the key cannot be printed, because the disk is full or the reader
 * has closed the pipe.
 */
async function printKey(
  { key, id, label, readOnly, expires }: AddedKey,
  { output, report }: Context,
): Promise<void> {
  output.add(key);
  await output.flush();
  if (output.failure) {
    throw new UnreachableError(`${id} (${label}) was added, but cannot be printed; revoke it, and add another key`);
  }
  const rights = readOnly ? "may read" : "may read and write";
  const end = expires === undefined ? "does not expire" : `expires ${expires.toISOString()}`;
  report(`${id} (${label}) ${rights} and ${end}. The key cannot be shown again`);
}

/** The table, with spaces between its columns. */
function describeKeys(keys: readonly KeyInfo[]): string {
  const rows = [TITLES, ...keys.map(cellsOf)];
  const widths = TITLES.map((_, column) => rows.reduce((width, row) => Math.max(width, row[column]!.length), 0));
  const lineOf = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column]!)).join("  ");
  return rows.map((row) => lineOf(row).trimEnd()).join("\n");
}

/** The titles of the columns. The JSON log and the metrics name the user of a key as CALLER does. */
const TITLES: readonly string[] = ["ID", "STATE", "RIGHTS", "CREATED", "EXPIRES", "CALLER", "LABEL"];

function cellsOf(key: KeyInfo): string[] {
  const rights = key.readOnly ? "read" : "read, write";
  const expires = key.expires ? minuteOf(key.expires) : "never";
  const cells = [key.id, stateOf(key), rights, minuteOf(key.created), expires, key.caller, key.label];
  // Line ends are escaped: a label with one, which another program may have written, would look
  // like the row of another key.
  return cells.map(oneLine);
}

function stateOf(key: KeyInfo): string {
  if (key.revoked) return "revoked";
  return isValid(key) ? "valid" : "expired";
}

/** A time in UTC without its seconds. Its year may have more than four digits. */
function minuteOf(time: Date): string {
  return time.toISOString().slice(0, -8).replace("T", " ");
}

/** The keys as a JSON array. Their digests are left out. */
function keysAsJson(keys: readonly StoredKey[]): string {
  return JSON.stringify(keys.map(({ digest: _, ...key }) => ({ ...key, state: stateOf(key) })), null, 2);
}
