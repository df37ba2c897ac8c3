/** The commands that manage API keys. */

import { digestOf } from "../../access/key_digest.ts";
import { createKeyManager } from "../../access/create_key_manager.ts";
import { type AddedKey, checkNewKey, type KeyManager } from "../../access/key_manager.ts";
import type { KeyStore, StoredKey } from "../../stores/key_store.ts";
import { StoreUnavailableError } from "../../stores/store.ts";
import { isValid } from "../first_key/first_key.ts";
import { hasKey, KEY_FILE, keyFilesOf, removeKeyFile } from "../first_key/key_file.ts";
import { commandLine } from "../process/invocation.ts";
import { explain, firstLine, SettingError, UnreachableError } from "../process/start_error.ts";
import type { CommandArguments } from "../settings/arguments.ts";
import { DURATION, EXPIRY } from "../settings/formats.ts";
import { type Command, type Context, readSharedStore, readStore } from "./command.ts";
import { describeKeys, keysAsJson } from "./key_table.ts";

/** Where the keys are, for the help texts. */
const STORAGE_HELP =
  "The store keeps the keys beside the pets, in the SQLite file or the database. Running servers accept a new key at once, " +
  "and follow other changes within a second.";

/** What messages about an unusable store begin with. */
const FAILURE = "The API keys cannot be used";

const EXPIRES_FLAG = {
  value: "time",
  help:
    "when the key expires: 12h, 90d or 1w from now, or 2031-12-31, at the beginning of this day in UTC. Without it, never",
};

export const ADD_KEY: Command = {
  summary: "make an API key, and print it",
  flags: {
    label: { value: "text", help: "what the key is for" },
    expires: EXPIRES_FLAG,
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
    const options = { label, readOnly: args.isOn("read-only"), ...(expires && { expires }) };
    try {
      // The options are checked before the store is opened, because opening it may create it.
      checkNewKey(options);
    } catch (error) {
      throw new SettingError(firstLine(error));
    }
    return await useKeys(args, context, { createIfMissing: true }, async (store) => {
      await printAndStore(store, context, (keys) => keys.add(options));
    });
  },
};

export const LIST_KEYS: Command = {
  summary: "list the API keys",
  flags: { json: { help: "print JSON, with times in UTC (ISO 8601)" } },
  about: `The list includes keys that have expired or were revoked. ${STORAGE_HELP}`,
  examples: ["petstore keys list", "petstore keys list --json | jq '.[] | select(.expires == null)'"],
  failure: "The API keys cannot be read",
  async run(args, context) {
    const keys = await (await readSharedStore(args, context)).keys.list();
    context.writers.output.add(args.isOn("json") ? keysAsJson(keys) : describeKeys(keys));
    return 0;
  },
};

export const ROTATE_KEY: Command = {
  summary: "replace an API key with a new one, and print the new key",
  flags: {
    overlap: { value: "time", default: "1d", help: "how long the old key stays valid, such as 7d" },
    expires: { ...EXPIRES_FLAG, help: "when the new key expires. Without it, it lives as long as the old one did" },
  },
  operand: "id",
  about:
    `The new key has the label, the caller and the rights of the old one, which expires after the overlap. ${STORAGE_HELP}`,
  examples: ["petstore keys rotate key-5d0c6a1f1f0b --overlap 7d"],
  failure: FAILURE,
  async run(args, context) {
    const expires = args.readOptional("expires", EXPIRY);
    const options = { overlapMs: args.read("overlap", DURATION), ...(expires && { expires }) };
    return await useKeys(args, context, { createIfMissing: false }, async (store) => {
      const stored = await store.list();
      const id = await findId(args, stored);
      if (!stored.some((key) => key.id === id && isValid(key))) {
        throw new SettingError(
          `${id} has ended, so nothing can replace it; ${commandLine("keys add")} makes a new key`,
        );
      }
      await printAndStore(store, context, (keys) => keys.rotate(id, options));
      const oldKey = (await store.list()).find((key) => key.id === id)!;
      context.writers.errors.add(`petstore: ${id} ${describeEnd(oldKey.expires)}`);
      await tellOfOldKeyFiles(args, context, oldKey.digest);
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
    return await useKeys(args, context, { createIfMissing: false }, async (store) => {
      const stored = await store.list();
      const id = await findId(args, stored);
      await createKeyManager(store).revoke(id);
      const { output, errors } = context.writers;
      output.add(`${id} is revoked`);
      const { digest } = stored.find((key) => key.id === id)!;
      await removeKeyFiles(args, context, digest);
      if (stored.some((key) => key.id !== id && isValid(key))) return;
      errors.add(`petstore: no key of the store is valid now; ${commandLine("keys add")} makes one`);
    });
  },
};

/**
 * Opens the keys of a store for `use`, and closes the store afterwards.
 *
 * @param options.createIfMissing Whether a store that does not exist is made. If not, a missing file is a failure.
 * @returns The exit status of the command.
 */
async function useKeys(
  args: CommandArguments,
  context: Context,
  { createIfMissing }: { createIfMissing: boolean },
  use: (store: KeyStore) => Promise<void>,
): Promise<number> {
  const { keys } = await readSharedStore(args, context);
  const store = await keys.open(createIfMissing);
  // A new store is told, because a key that is added in the wrong folder or database would be of no use.
  if (store.isNew) {
    context.writers.errors.add(`petstore: ${keys.place} is new; servers that use it will accept the key`);
  }
  try {
    await use(store.keys);
    return 0;
  } finally {
    await store.close();
  }
}

/**
 * Finds the id of the key that the operand names, by its id or by the key itself.
 *
 * @throws {SettingError} If there is no such key. The message does not quote the operand, because it may be a key.
 */
async function findId({ operand }: CommandArguments, stored: readonly StoredKey[]): Promise<string> {
  const digest = await digestOf(operand);
  const found = stored.find((key) => key.id === operand || key.digest === digest);
  if (found) return found.id;
  const fault = operand === "" ? "The id of the key is missing" : "There is no such key";
  throw new SettingError(`${fault}; ${commandLine("keys list")} shows the ids`);
}

/**
 * Makes a key, prints it, and only then stores it: a key that cannot be printed, as on a full disk, must neither be valid nor end the key
 * that it replaces. The manager of keys knows no such order, so it gets a store whose `add` only remembers what it was given.
 *
 * @param make Adds or rotates a key by this manager.
 * @throws {SettingError} If the key cannot be printed or stored.
 */
async function printAndStore(
  store: KeyStore,
  { writers: { output, errors } }: Context,
  make: (keys: KeyManager) => Promise<AddedKey>,
): Promise<void> {
  let postponed: Parameters<KeyStore["add"]> | undefined;
  const postponingStore: KeyStore = {
    add(...given) {
      postponed = given;
      return true;
    },
    list: () => store.list(),
    revoke: (id, at) => store.revoke(id, at),
  };
  const { key, id, label, readOnly, expires } = await make(createKeyManager(postponingStore));
  output.add(key);
  await output.flush();
  if (output.hasFailed) throw new UnreachableError("The key cannot be printed, so nothing was changed");
  let isAdded: boolean;
  try {
    isAdded = await store.add(...postponed!);
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
  errors.add(`petstore: ${id} (${label}) ${rights} and ${describeEnd(expires)}. The key cannot be shown again`);
}

/** Tells which key files still have the key that was replaced. */
async function tellOfOldKeyFiles(args: CommandArguments, context: Context, digest: string): Promise<void> {
  const { errors } = context.writers;
  const { path } = await readStore(args, context);
  for (const file of keyFilesOf(path)) {
    // A file that cannot be read is passed over without a word, because it may have another key.
    if (!await hasKey(file, digest).catch(() => false)) continue;
    errors.add(`petstore: ${file} still has the old key, which a new store would accept; write the new one into it`);
  }
}

/** Removes the key files that have a revoked key. */
async function removeKeyFiles(args: CommandArguments, context: Context, digest: string): Promise<void> {
  const { errors } = context.writers;
  const { path } = await readStore(args, context);
  for (const file of keyFilesOf(path)) {
    try {
      if (await removeKeyFile(file, digest)) errors.add(`petstore: ${file} had this key, and is removed`);
    } catch (error) {
      errors.add(`petstore: ${file} was not removed: ${firstLine(error)}. If it has the revoked key, remove it`);
    }
  }
}

/** A clause about the end of a key, without its subject. */
function describeEnd(expires: Date | undefined): string {
  return expires === undefined ? "does not expire" : `expires ${expires.toISOString()}`;
}
