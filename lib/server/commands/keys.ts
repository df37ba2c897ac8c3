/** The commands that manage API keys. */

import { digestOf } from "../../access/key_digest.ts";
import { checkNewKey } from "../../access/key_manager.ts";
import { type MadeKey, makeNewKey, makeSuccessor } from "../../access/new_keys.ts";
import type { KeyStore, StoredKey } from "../../stores/key_store.ts";
import { StoreUnavailableError } from "../../stores/store.ts";
import { isValid } from "../first_key/first_key.ts";
import { KEY_FILE, removeRevokedKey } from "../first_key/key_file.ts";
import { commandLine } from "../process/invocation.ts";
import { explain, firstLine, SettingError, UnreachableError } from "../process/start_error.ts";
import type { CommandArguments } from "../settings/arguments.ts";
import { DURATION, EXPIRY } from "../settings/formats.ts";
import type { StoreSetting } from "../store_setting/store_setting.ts";
import { type Command, type Context, readSharedStore } from "./command.ts";
import { describeKeys, keysAsJson } from "./key_table.ts";

/** Where the keys are, for the help texts. */
const STORAGE_HELP =
  "The store keeps the keys beside the pets, in the SQLite file or the database. Running servers accept a new key at once, " +
  "and follow other changes within a second.";

/** What messages about an unusable store begin with. */
const FAILURE = "The API keys cannot be used";

export const ADD_KEY: Command = {
  summary: "make an API key, and print it",
  flags: {
    label: { value: "text", help: "what the key is for" },
    expires: {
      value: "time",
      help: "when the key expires: 12h, 90d or 1w from now, or 2031-12-31, at the beginning of this day in UTC. " +
        "Without it, never",
    },
    "read-only": { help: "the key may only read" },
  },
  about: `The store keeps only a digest of the key, so the key cannot be shown again. ${STORAGE_HELP}`,
  examples: [
    "petstore keys add --label ci --expires 90d",
    "petstore keys add --label dashboard --read-only > dashboard.key",
  ],
  failure: FAILURE,
  async run(args, context) {
    const label = args.text("label");
    if (label === "") throw new SettingError(`Say what the key is for, as in ${commandLine("keys add --label ci")}`);
    const expires = args.readOptional("expires", EXPIRY);
    let made: MadeKey;
    try {
      // The options are checked before the store is opened, because opening it may create it.
      made = await makeNewKey(checkNewKey({ label, readOnly: args.isOn("read-only"), ...(expires && { expires }) }));
    } catch (error) {
      throw new SettingError(firstLine(error));
    }
    const setting = await readSharedStore(args, context);
    return await useKeys(setting, context, (keys) => printAndStore(made, keys, context));
  },
};

export const LIST_KEYS: Command = {
  summary: "list the API keys",
  flags: { json: { help: "print JSON, with times in UTC (ISO 8601)" } },
  about: `The list includes keys that have expired or were revoked. ${STORAGE_HELP}`,
  examples: ["petstore keys list", "petstore keys list --json | jq '.[] | select(.expires == null)'"],
  failure: "The API keys cannot be read",
  async run(args, context) {
    const { shared } = await readSharedStore(args, context);
    const keys = await shared.listKeys();
    context.writers.output.add(args.isOn("json") ? keysAsJson(keys) : describeKeys(keys));
    return 0;
  },
};

export const ROTATE_KEY: Command = {
  summary: "replace an API key with a new one, and print the new key",
  flags: { overlap: { value: "time", default: "1d", help: "how long the old key stays valid, such as 7d" } },
  operand: "id",
  about:
    "The new key has the label, the caller and the rights of the old one, and lives as long as the old one did. The old key expires after " +
    `the overlap. ${STORAGE_HELP}`,
  examples: ["petstore keys rotate key-5d0c6a1f1f0b --overlap 7d"],
  failure: FAILURE,
  async run(args, context) {
    const overlapMs = args.read("overlap", DURATION);
    const setting = await readSharedStore(args, context);
    // This fails if the store does not exist, while opening it would make it.
    const stored = await setting.shared.listKeys();
    const old = await findKey(args, stored);
    if (!isValid(old)) {
      throw new SettingError(
        `${old.id} has ended, so nothing can replace it; ${commandLine("keys add")} makes a new key`,
      );
    }
    const successor = await makeSuccessor(stored, old.id, { overlapMs, expires: undefined });
    return await useKeys(setting, context, async (keys) => {
      await printAndStore(successor, keys, context);
      context.writers.report(`${old.id} ${describeEnd(successor.replaced!.expires)} at the latest`);
    });
  },
};

export const REVOKE_KEY: Command = {
  summary: "revoke an API key",
  operand: "id",
  about: "In place of the id you can give the key itself, if it has leaked. If " +
    `${KEY_FILE} contains the key, this file is removed. ${STORAGE_HELP}`,
  examples: ["petstore keys revoke key-5d0c6a1f1f0b"],
  failure: FAILURE,
  async run(args, context) {
    const setting = await readSharedStore(args, context);
    // This fails if the store does not exist, while opening it would make it.
    const stored = await setting.shared.listKeys();
    const { id, digest } = await findKey(args, stored);
    const { output, report } = context.writers;
    return await useKeys(setting, context, async (keys) => {
      await keys.revoke(id, new Date());
      output.add(`${id} is revoked`);
      (await removeRevokedKey(digest, setting.path)).forEach(report);
      if (stored.some((key) => key.id !== id && isValid(key))) return;
      report(`no key of the store is valid now; ${commandLine("keys add")} makes one`);
    });
  },
};

/**
 * Finds the key that the operand names, by its id or by the key itself.
 *
 * @throws {SettingError} If there is no such key. The message does not quote the operand, because it may be a key.
 */
async function findKey({ operand }: CommandArguments, stored: readonly StoredKey[]): Promise<StoredKey> {
  const digest = await digestOf(operand);
  const found = stored.find((key) => key.id === operand || key.digest === digest);
  if (found) return found;
  throw new SettingError(`There is no such key; ${commandLine("keys list")} shows the ids`);
}

/**
 * Opens the keys of a store for `use`, and closes the store afterwards. A store that does not exist is made.
 *
 * @returns The exit status of the command.
 */
async function useKeys(
  { description, open }: StoreSetting,
  { writers }: Context,
  use: (keys: KeyStore) => Promise<void>,
): Promise<number> {
  const store = await open();
  // A new store is told, because a key that is added in the wrong folder or database would be of no use.
  if (store.isNew) writers.report(`${description} is new; servers that use it will accept the key`);
  try {
    await use(store.keys);
    return 0;
  } finally {
    await store.close();
  }
}

/**
 * Prints a key, and only then stores it: a key that cannot be printed, as on a full disk, must neither be valid nor end the key that it
 * replaces.
 *
 * @throws {SettingError} If the key cannot be printed or stored.
 */
async function printAndStore(
  { key, stored, replaced }: MadeKey,
  store: KeyStore,
  { writers: { output, report } }: Context,
): Promise<void> {
  const { id, label, readOnly, expires } = stored;
  output.add(key);
  await output.flush();
  if (output.failure) throw new UnreachableError("The key cannot be printed, so nothing was changed");
  let isAdded: boolean;
  try {
    isAdded = await store.add(stored, replaced);
  } catch (error) {
    const isUncertain = error instanceof StoreUnavailableError && error.mayBeStored;
    throw explain(
      isUncertain
        ? `The printed key is valid if ${commandLine("keys list")} shows ${id}`
        : "The printed key is not valid, because it cannot be stored",
      error,
    );
  }
  if (!isAdded) {
    throw new SettingError("The printed key is not valid, because the one to replace was revoked meanwhile");
  }
  const rights = readOnly ? "may read" : "may read and write";
  report(`${id} (${label}) ${rights} and ${describeEnd(expires)}. The key cannot be shown again`);
}

/** A clause about the end of a key, without its subject. */
function describeEnd(expires: Date | undefined): string {
  return expires === undefined ? "does not expire" : `expires ${expires.toISOString()}`;
}
