import { type Slip, slipsOf } from "./slip.ts";

const KEYS = "unit/key_manager unit/key_cache unit/key_reads unit/key_ring unit/keys unit/key_attribution " +
  "published";

const LIMITS = "unit/rate_limit unit/client_address unit/options published server/attribution";

export const ACCESS: Slip[] = [
  ...slipsOf("access", KEYS, [
    [
      "a key that has expired counts as unused from then on",
      "authentication.ts",
      `  if (owner.expires !== Infinity && !(Date.now() < owner.expires)) return EXPIRED_KEY;
  if (owner.use) owner.use.at = Date.now();`,
      `  if (owner.use) owner.use.at = Date.now();
  if (owner.expires !== Infinity && !(Date.now() < owner.expires)) return EXPIRED_KEY;`,
    ],
    [
      "the last use of a key is a moment of the calendar, not of the process",
      "authentication.ts",
      "owner.use.at = Date.now()",
      "owner.use.at = performance.now()",
    ],
    [
      "a key for reading only adds nothing",
      "authentication.ts",
      'readOnly && effect !== "reads"',
      'readOnly && effect === "alters"',
    ],
    [
      "a key is refused from the very moment of its expiry",
      "authentication.ts",
      "!(Date.now() < owner.expires)",
      "Date.now() > owner.expires",
    ],
    [
      "a key whose expiry is changed in the store ends with it",
      "key_cache.ts",
      "[digest, caller, readOnly, expires, revoked]",
      "[digest, caller, readOnly, revoked]",
    ],
    [
      "an operator is told once that an outage of the keys has ended, and only after one",
      "key_cache.ts",
      "if (known?.isOutage) callSafely",
      "if (known) callSafely",
    ],
    [
      "each key has a last use of its own, also if a caller has several",
      "key_cache.ts",
      "use: this.uses.of(id)",
      "use: this.uses.of(caller)",
    ],
    [
      "of a key that is set and stored, the setting counts",
      "key_cache.ts",
      "[...this.#fixed, ...valid.map((key) => this.#recordOf(key))]",
      "[...valid.map((key) => this.#recordOf(key)), ...this.#fixed]",
    ],
    [
      "last uses are written while requests arrive, without a flush at the end",
      "key_cache.ts",
      "      this.uses.flushIfDue(begunAt);\n",
      "",
    ],
    [
      "a use that happens while others are written is written the next time",
      "key_uses.ts",
      "for (const { id, at } of uses) this.#byId.get(id)!.written = at.getTime();",
      "for (const { id } of uses) this.#byId.get(id)!.written = this.#byId.get(id)!.at;",
    ],
    [
      "a use that could not be written is written later",
      "key_uses.ts",
      `      await this.#store.touch(uses);
      for (const { id, at } of uses) this.#byId.get(id)!.written = at.getTime();`,
      `      for (const { id, at } of uses) this.#byId.get(id)!.written = at.getTime();
      await this.#store.touch(uses);`,
    ],
    [
      "after a failed write of uses, the next comes in five seconds, not in a minute",
      "key_uses.ts",
      "this.#dueAt -= INTERVAL - RETRY;",
      "this.#dueAt -= RETRY;",
    ],
    [
      "a key that is replaced ends after the overlap, which is in milliseconds",
      "key_management.ts",
      "new Date(Date.now() + overlapMs)",
      "new Date(Date.now() + overlapMs * 1000)",
    ],
    [
      "the expiry that a rotation names is that of the new key",
      "key_management.ts",
      "expires: expires ?? next.expires }",
      "expires: next.expires ?? expires }",
    ],
    [
      "a successor has the rights of the key that it replaces",
      "key_management.ts",
      "return { ...old, expires:",
      "return { ...old, readOnly: false, expires:",
    ],
    [
      "a key that was revoked here is refused at once",
      "key_management.ts",
      '      if (!await store.revoke(id, new Date())) throw new UnknownKeyError("key", id);\n      await cache.renew();',
      '      if (!await store.revoke(id, new Date())) throw new UnknownKeyError("key", id);',
    ],
    [
      "a list of keys shows no digest",
      "key_management.ts",
      "map(({ digest: _, ...info }) => info)",
      "map(({ ...info }) => info)",
    ],
    [
      "a comparison of keys reads every character, wherever the first wrong one is",
      "key_ring.ts",
      "difference |= header.charCodeAt(start + i) ^ this.#pad[i]! ^ blinded[i]!;",
      "if (header.charCodeAt(start + i) !== (this.#pad[i]! ^ blinded[i]!)) return false;",
    ],
    [
      "nobody can foretell the fingerprint of a key: its seed is secret",
      "key_ring.ts",
      "this.#seed = random[0]!;",
      "this.#seed = 0;",
    ],
  ]),
  ...slipsOf("access", LIMITS, [
    [
      "the log of a refusal by the limit names the caller",
      "rate_limit.ts",
      "      context.caller = caller;\n",
      "",
    ],
    [
      "RateLimit-Policy has its window in seconds",
      "rate_limit.ts",
      "w=${Math.ceil(windowMs / 1000)}",
      "w=${Math.ceil(windowMs)}",
    ],
    [
      "right keys use up no limit of their address",
      "rate_limit.ts",
      "if (verdict instanceof Problem) count();",
      "count();",
    ],
    [
      "right keys that are checked with a promise use up no limit of their address",
      "rate_limit.ts",
      "end(found instanceof Problem);",
      "end(true);",
    ],
    [
      "of several addresses in a header the last counts, which the own proxy has written",
      "rate_limit.ts",
      'told.slice(told.lastIndexOf(",") + 1)',
      'told.split(",")[0]!',
    ],
    [
      "a request over the limit does not push the end of the wait further away",
      "limit_table.ts",
      "if (quota.remaining > 0 || always) {",
      "{",
    ],
  ]),
];
