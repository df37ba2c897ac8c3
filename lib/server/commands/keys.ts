/** The commands that manage API keys. Running servers follow within a second. */

import { existsSync } from "node:fs";
import { digestOf } from "../../access/key_ring.ts";
import { createKeyManager } from "../../access/key_management.ts";
import { type AddedKey, checkNewKey, type KeyManager } from "../../access/key_manager.ts";
import type { KeyStore, StoredKey } from "../../stores/key_store.ts";
import type { KeyedPetStore } from "../../stores/store.ts";
import { isValid } from "../first_key.ts";
import { KEY_FILE, removeKeyFile } from "../key_file.ts";
import { asCalled } from "../process.ts";
import { explain, firstLine, SettingError, UnreachableError } from "../start_error.ts";
import { KEY_DATABASE, loadPostgres, openSqlite, parseStoreLocation } from "../store/open_store.ts";
import type { CommandArguments, Format } from "../command_arguments.ts";
import { UNITS } from "../time.ts";
import type { Command, Context } from "./command.ts";
import { describeKeys, keysAsJson } from "./key_table.ts";

const WHERE =
  "The keys are kept beside the pets: in the SQLite file or the database. For a server with --store memory: they are " +
  `in ${KEY_DATABASE} of its working directory. Running servers follow a change within a second.`;

const DURATION: Format<number> = {
  form: "a time such as 12h, 90d or 1w (s, m, h, d or w)",
  parse(text) {
    const [, count, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
    return count === undefined ? undefined : Number(count) * UNITS[unit]!;
  },
};

/** A moment in the future. */
const EXPIRY: Format<Date> = {
  form: `${DURATION.form}, or a date in the future such as 2031-12-31`,
  parse(text) {
    const lifetime = DURATION.parse(text);
    const time = lifetime === undefined ? dayOf(text) : new Date(Date.now() + lifetime);
    return time && time.getTime() > Date.now() ? time : undefined;
  },
};

/** The beginning of a day, in UTC. */
function dayOf(text: string): Date | undefined {
  const day = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? text : Number.NaN);
  // The 30th of February is another day.
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) ? day : undefined;
}

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
  about: [
    "Makes an API key, and prints it alone on standard output. Only its hash is kept, so it cannot be shown again.",
    WHERE,
  ],
  examples: [
    "petstore keys add --label ci --expires 90d",
    "petstore keys add --label dashboard --read-only > dashboard.key",
  ],
  async run(args, context) {
    const label = args.text("label");
    if (label === "") throw new SettingError("Say what the key is for, as in petstore keys add --label ci");
    const expires = args.optional("expires", EXPIRY);
    const options = { label, readOnly: args.isOn("read-only"), ...(expires && { expires }) };
    try {
      // Before the store is opened, which may create it.
      checkNewKey(options);
    } catch (error) {
      throw new SettingError(firstLine(error));
    }
    return await useKeys(args, context, true, async (_, store) => {
      await printAndStore(store, context, (keys) => keys.add(options));
    });
  },
};

export const LIST_KEYS: Command = {
  summary: "list the API keys",
  flags: { json: { help: "print JSON, with times in UTC (ISO 8601)" } },
  about: [
    "Lists the API keys, also those that have expired or were revoked. The keys themselves are not kept, so they are not shown. " +
    "When a key was last used is known to about a minute.",
    WHERE,
  ],
  examples: ["petstore keys list", "petstore keys list --json | jq '.[] | select(.lastUsed == null)'"],
  async run(args, context) {
    return await useKeys(args, context, false, async (keys) => {
      const infos = await keys.list();
      context.writers.output.add(args.isOn("json") ? keysAsJson(infos) : describeKeys(infos));
    });
  },
};

export const ROTATE_KEY: Command = {
  summary: "replace an API key by a new one, and print that",
  flags: {
    overlap: { value: "time", default: "1d", help: "how long the old key stays valid, such as 7d" },
    expires: { ...EXPIRES, help: "when the new key expires. Without it, it lives as long as the old one did" },
  },
  operand: "id",
  about: [
    "Makes a key with the label, the caller and the rights of another, and prints it. The old one expires after the overlap. Both " +
    "are one caller, so a client can repeat a request with an Idempotency-Key with the new key.",
    WHERE,
  ],
  examples: ["petstore keys rotate key-5d0c6a1f1f0b --overlap 7d"],
  async run(args, context) {
    const expires = args.optional("expires", EXPIRY);
    const options = { overlapMs: args.read("overlap", DURATION), ...(expires && { expires }) };
    return await useKeys(args, context, false, async (_, store) => {
      const id = await findId(args, await store.list());
      await printAndStore(store, context, (keys) => keys.rotate(id, options));
      const old = (await store.list()).find((key) => key.id === id);
      context.writers.errors.add(`petstore: ${id} ${describeEnd(old?.expires)}`);
    });
  },
};

export const REVOKE_KEY: Command = {
  summary: "revoke an API key",
  operand: "id",
  about: [
    "Revokes an API key for good. In place of the id you can give the key itself, if it has leaked and is known anyway. If " +
    `${KEY_FILE} has the key, the file is removed: otherwise a new store would accept the key again.`,
    WHERE,
  ],
  examples: ["petstore keys revoke key-5d0c6a1f1f0b"],
  async run(args, context) {
    return await useKeys(args, context, false, async (keys, store) => {
      const stored = await store.list();
      const id = await findId(args, stored);
      await keys.revoke(id);
      const { output, errors } = context.writers;
      output.add(`${id} is revoked`);
      const { digest } = stored.find((key) => key.id === id)!;
      if (await removeKeyFile(KEY_FILE, digest)) errors.add(`petstore: ${KEY_FILE} had this key, and is removed`);
      if (stored.some((key) => key.id !== id && isValid(key))) return;
      errors.add(asCalled("petstore: no key of the store is valid now; petstore keys add makes one"));
    });
  },
};

/** Opens the keys of a store, and closes it afterwards. */
async function useKeys(
  args: CommandArguments,
  context: Context,
  createIfMissing: boolean,
  use: (keys: KeyManager, store: KeyStore) => Promise<void>,
): Promise<number> {
  const store = await openKeyed(args.text("store"), context, createIfMissing);
  try {
    await use(createKeyManager(store.keys), store.keys);
    return 0;
  } catch (error) {
    throw explain("The API keys cannot be used", error);
  } finally {
    await store.close();
  }
}

async function openKeyed(
  setting: string,
  { host, writers }: Context,
  createIfMissing: boolean,
): Promise<KeyedPetStore> {
  const store = parseStoreLocation(setting, host.environment);
  if (store.kind === "postgres") return await (await loadPostgres()).openPostgres(store.target, host.postgresDriver);
  const path = store.kind === "sqlite" && store.path !== ":memory:" ? store.path : KEY_DATABASE;
  const isNew = !existsSync(path);
  const opened = await openSqlite(path, "same-thread", createIfMissing);
  // In the wrong folder, the key would be of no use.
  if (isNew) writers.errors.add(`petstore: ${path} is new; servers that use it will accept the key`);
  return opened;
}

/** The message does not quote the argument, because it may be a key. */
async function findId({ operand }: CommandArguments, stored: readonly StoredKey[]): Promise<string> {
  const digest = await digestOf(operand);
  const known = stored.find((key) => key.id === operand || key.digest === digest);
  if (known) return known.id;
  throw new SettingError(
    `${operand === "" ? "The id of the key is missing" : "There is no such key"}; petstore keys list shows the ids`,
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
  const additions: Parameters<KeyStore["add"]>[] = [];
  const postponing: KeyStore = {
    add: (...addition) => additions.push(addition) > 0,
    list: () => store.list(),
    revoke: (id, at) => store.revoke(id, at),
    touch: (uses) => store.touch(uses),
  };
  const { key, id, label, readOnly, expires } = await make(createKeyManager(postponing));
  output.add(key);
  await output.flush();
  if (output.hasFailed) throw new UnreachableError("The key cannot be printed, so nothing was changed");
  for (const addition of additions) await storePrinted(store, addition);
  const rights = readOnly ? "may read" : "may read and write";
  errors.add(`petstore: ${id} (${label}) ${rights} and ${describeEnd(expires)}. The key cannot be shown again`);
}

async function storePrinted(store: KeyStore, addition: Parameters<KeyStore["add"]>): Promise<void> {
  let isAdded: boolean;
  try {
    isAdded = await store.add(...addition);
  } catch (error) {
    throw explain("The printed key is not valid, because it cannot be stored", error);
  }
  if (!isAdded) {
    throw new SettingError("The printed key is not valid, because the one to replace was revoked meanwhile");
  }
}

function describeEnd(expires: Date | undefined): string {
  return expires === undefined ? "does not expire" : `expires ${expires.toISOString()}`;
}
