/** The commands that manage API keys. */

import { digestOf } from "../../access/key_ring.ts";
import { createKeyManager } from "../../access/key_management.ts";
import { type AddedKey, checkNewKey, type KeyManager } from "../../access/key_manager.ts";
import type { KeyStore, StoredKey } from "../../stores/key_store.ts";
import { isValid } from "../first_key/first_key.ts";
import { hasKey, KEY_FILE, keyFilesOf, removeKeyFile } from "../first_key/key_file.ts";
import { commandLine } from "../process/invocation.ts";
import { explain, firstLine, SettingError, UnreachableError } from "../process/start_error.ts";
import { type CommandArguments, DURATION, EXPIRY } from "../settings/arguments.ts";
import { type Command, type Context, readSharedStore, readStore } from "./command.ts";
import { describeKeys, keysAsJson } from "./key_table.ts";

const WHERE =
  "The store keeps the keys beside the pets, in the SQLite file or the database. Running servers accept a new key at once, " +
  "and follow other changes within a second.";

const FAILURE = "The API keys cannot be used";

const EXPIRES = {
  value: "time",
  help:
    "when the key expires: 12h, 90d or 1w from now, or 2031-12-31, at the beginning of this day in UTC. Without it, never",
};

export const ADD_KEY: Command = {
  summary: "make an API key, and print it",
  flags: {
    label: { value: "text", help: "what the key is for" },
    expires: EXPIRES,
    "read-only": { help: "the key may only read" },
  },
  about: `The store keeps only a digest of the key, so the key cannot be shown again. ${WHERE}`,
  examples: [
    "petstore keys add --label ci --expires 90d",
    "petstore keys add --label dashboard --read-only > dashboard.key",
  ],
  failure: FAILURE,
  async run(args, context) {
    const label = args.text("label");
    if (label === "") throw new SettingError(`Say what the key is for, as in ${commandLine("keys add --label ci")}`);
    const expires = args.optional("expires", EXPIRY);
    const options = { label, readOnly: args.isOn("read-only"), ...(expires && { expires }) };
    try {
      // The options are checked before the store is opened, which may create it.
      checkNewKey(options);
    } catch (error) {
      throw new SettingError(firstLine(error));
    }
    return await useKeys(args, context, true, async (store) => {
      await printAndStore(store, context, (keys) => keys.add(options));
    });
  },
};

export const LIST_KEYS: Command = {
  summary: "list the API keys",
  flags: { json: { help: "print JSON, with times in UTC (ISO 8601)" } },
  about: `The list includes keys that have expired or were revoked. ${WHERE}`,
  examples: ["petstore keys list", "petstore keys list --json | jq '.[] | select(.expires == null)'"],
  failure: "The API keys cannot be read",
  async run(args, context) {
    const keys = await (await readSharedStore(args, context)).keys.list();
    context.writers.output.add(args.isOn("json") ? keysAsJson(keys) : describeKeys(keys));
    return 0;
  },
};

export const ROTATE_KEY: Command = {
  summary: "replace an API key by a new one, and print the new key",
  flags: {
    overlap: { value: "time", default: "1d", help: "how long the old key stays valid, such as 7d" },
    expires: { ...EXPIRES, help: "when the new key expires. Without it, it lives as long as the old one did" },
  },
  operand: "id",
  about:
    `The new key has the label, the caller and the rights of the old one, which expires after the overlap. ${WHERE}`,
  examples: ["petstore keys rotate key-5d0c6a1f1f0b --overlap 7d"],
  failure: FAILURE,
  async run(args, context) {
    const expires = args.optional("expires", EXPIRY);
    const options = { overlapMs: args.read("overlap", DURATION), ...(expires && { expires }) };
    return await useKeys(args, context, false, async (store) => {
      const stored = await store.list();
      const id = await findId(args, stored);
      if (!stored.some((key) => key.id === id && isValid(key))) {
        throw new SettingError(
          `${id} has ended, so nothing can replace it; ${commandLine("keys add")} makes a new key`,
        );
      }
      await printAndStore(store, context, (keys) => keys.rotate(id, options));
      const { errors } = context.writers;
      const old = (await store.list()).find((key) => key.id === id)!;
      errors.add(`petstore: ${id} ${describeEnd(old.expires)}`);
      for (const file of keyFilesOf((await readStore(args, context)).path)) {
        // A file that cannot be read may have another key.
        if (!await hasKey(file, old.digest).catch(() => false)) continue;
        errors.add(
          `petstore: ${file} still has the old key, which a new store would accept; write the new one into it`,
        );
      }
    });
  },
};

export const REVOKE_KEY: Command = {
  summary: "revoke an API key",
  operand: "id",
  about: "In place of the id you can give the key itself, if it has leaked. If " +
    `${KEY_FILE} contains the key, this file is removed. ${WHERE}`,
  examples: ["petstore keys revoke key-5d0c6a1f1f0b"],
  failure: FAILURE,
  async run(args, context) {
    return await useKeys(args, context, false, async (store) => {
      const stored = await store.list();
      const id = await findId(args, stored);
      await createKeyManager(store).revoke(id);
      const { output, errors } = context.writers;
      output.add(`${id} is revoked`);
      const { digest } = stored.find((key) => key.id === id)!;
      for (const file of keyFilesOf((await readStore(args, context)).path)) {
        try {
          if (await removeKeyFile(file, digest)) errors.add(`petstore: ${file} had this key, and is removed`);
        } catch (error) {
          errors.add(`petstore: ${firstLine(error)}. If it has the revoked key, remove it`);
        }
      }
      if (stored.some((key) => key.id !== id && isValid(key))) return;
      errors.add(`petstore: no key of the store is valid now; ${commandLine("keys add")} makes one`);
    });
  },
};

/** Opens the keys of a store, and closes it afterwards. */
async function useKeys(
  args: CommandArguments,
  context: Context,
  createIfMissing: boolean,
  use: (store: KeyStore) => Promise<void>,
): Promise<number> {
  const { keys } = await readSharedStore(args, context);
  const store = await keys.open(createIfMissing);
  // A key in the wrong folder or database would be of no use, so a new store is told.
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

/** The message does not quote the argument, because it may be a key. */
async function findId({ operand }: CommandArguments, stored: readonly StoredKey[]): Promise<string> {
  const digest = await digestOf(operand);
  const known = stored.find((key) => key.id === operand || key.digest === digest);
  if (known) return known.id;
  throw new SettingError(
    `${operand === "" ? "The id of the key is missing" : "There is no such key"}; ${
      commandLine("keys list")
    } shows the ids`,
  );
}

/**
 * Makes a key, prints it, and only then stores it. A key that cannot be printed, as on a full disk, must not be valid, nor end the
 * key that it replaces.
 */
async function printAndStore(
  store: KeyStore,
  { writers: { output, errors } }: Context,
  make: (keys: KeyManager) => Promise<AddedKey>,
): Promise<void> {
  let addition: Parameters<KeyStore["add"]> | undefined;
  const postponing: KeyStore = {
    add: (...given) => Boolean(addition = given),
    list: () => store.list(),
    revoke: (id, at) => store.revoke(id, at),
  };
  const { key, id, label, readOnly, expires } = await make(createKeyManager(postponing));
  output.add(key);
  await output.flush();
  if (output.hasFailed) throw new UnreachableError("The key cannot be printed, so nothing was changed");
  const isAdded = await (async () => await store.add(...addition!))().catch((error) => {
    throw explain("The printed key is not valid, because it cannot be stored", error);
  });
  if (!isAdded) {
    throw new SettingError("The printed key is not valid, because the one to replace was revoked meanwhile");
  }
  const rights = readOnly ? "may read" : "may read and write";
  errors.add(`petstore: ${id} (${label}) ${rights} and ${describeEnd(expires)}. The key cannot be shown again`);
}

function describeEnd(expires: Date | undefined): string {
  return expires === undefined ? "does not expire" : `expires ${expires.toISOString()}`;
}
