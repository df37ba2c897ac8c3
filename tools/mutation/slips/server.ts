import { type Slip, slipsOf } from "./slip.ts";

const SERVING =
  "server/order_of_parts server/drain_order server/attribution unit/worker_group server/workers server/routes server/metrics server/shutdown server/log";

const FILES =
  "server/keys/file server/keys/new_keys server/keys/commands server/keys/secret server/settings server/deployment " +
  "server/backup server/restore server/transfer/records server/transfer/import server/output server/access_log";

export const SERVER: Slip[] = [
  ...slipsOf("server", SERVING, [
    [
      "only failures of the store count as such",
      "serving/local_server.ts",
      "if (failure.error instanceof StoreUnavailableError) metrics?.onStoreError();",
      "metrics?.onStoreError();",
    ],
    [
      "the last uses of keys are written when the server ends",
      "serving/local_server.ts",
      "      if (keys) await resolvesWithin(FLUSH_TIMEOUT, keys.flush());\n",
      "",
    ],
    [
      "an operator is told when the keys can be read again, and not that they cannot",
      "serving/local_server.ts",
      "error === undefined\n",
      "error !== undefined\n",
    ],
    [
      "a signal first lets requests in flight end, and then holds later ones",
      "serving/serve.ts",
      "  await resolvesWithin(DRAIN_TIMEOUT, server.close());\n  await server.hold();",
      "  await server.hold();\n  await resolvesWithin(DRAIN_TIMEOUT, server.close());",
    ],
    [
      "the store is closed after the last response",
      "serving/serve.ts",
      "    await server.end(timeLeft);\n    for (const store of started.stores) await store.close();",
      "    for (const store of started.stores) await store.close();\n    await server.end(timeLeft);",
    ],
    [
      "requests that a stopping server refuses are logged and counted",
      "http/drain_gate.ts",
      "    this.#finisher = pipeline.finisher;\n",
      "",
    ],
    [
      "the last responses tell clients that the connection ends",
      "http/drain_gate.ts",
      'this.#state === "stopping" ? extendReply(reply, CLOSE) : reply',
      "pipeline === undefined ? extendReply(reply, CLOSE) : reply",
    ],
    [
      "/readyz tells that a worker is missing",
      "http/server_pipeline.ts",
      "return isComplete() ? OK : INCOMPLETE;",
      "return OK;",
    ],
    [
      "/readyz?writes asks whether the store can write",
      "http/server_pipeline.ts",
      "    if (/^writes(=|$)/.test(query)) await checkWrites();\n",
      "",
    ],
    [
      "one check answers the probes of a second, and the next second has its own",
      "http/server_pipeline.ts",
      ".finally(() => validUntil = performance.now() + INTERVAL)",
      "",
    ],
    [
      "all workers count the requests of a caller together",
      "deno/worker_pool.ts",
      "const shared = { settings, hostname, port, limits: createLimits(settings) };",
      "const shared = { settings, hostname, port, limits: undefined };",
    ],
    [
      "counters do not decrease when several workers have died",
      "deno/worker_group.ts",
      "addSamples([this.#retiredSamples, withoutGauges(worker.samples ?? {})])",
      "withoutGauges(worker.samples ?? {})",
    ],
    [
      "a worker that does not respond counts as missing",
      "deno/worker_group.ts",
      "Array.from(this.#serving).filter(({ isUnresponsive }) => !isUnresponsive).length",
      "this.#serving.size",
    ],
    [
      "all sockets close before any worker ends",
      "deno/worker_group.ts",
      `    await resolvesWithin(STEP_TIMEOUT, this.#performAll("stop"));
    await resolvesWithin(Math.max(timeoutMs, 0) + STEP_TIMEOUT, this.#performAll("end", timeoutMs));`,
      `    await resolvesWithin(Math.max(timeoutMs, 0) + STEP_TIMEOUT, this.#performAll("end", timeoutMs));
    await resolvesWithin(STEP_TIMEOUT, this.#performAll("stop"));`,
    ],
    [
      "a worker ends with the exit status of its failure",
      "deno/worker_handle.ts",
      "failure.isTemporary ? UnreachableError : SettingError",
      "failure.isTemporary ? SettingError : UnreachableError",
    ],
    [
      "a worker whose heart beats again responds",
      "deno/worker_handle.ts",
      "      this.#missedHeartbeats = 0;\n",
      "",
    ],
  ]),
  ...slipsOf("server", FILES, [
    [
      "a link to the key in a folder that others can write to is refused",
      "keys/key_file.ts",
      "if (!lstatSync(name).isSymbolicLink()) return;",
      "return;",
    ],
    [
      "a first key that was revoked is accepted no more",
      "keys/first_key.ts",
      "if (known) return isValid(known);",
      "if (known) return true;",
    ],
    [
      "the key of the file has the caller that it had as a setting",
      "keys/first_key.ts",
      "caller: defaultCallerId(digest) }",
      "caller: idOf(digest) }",
    ],
    [
      "a flag wins over a variable",
      "settings/arguments.ts",
      'return flag(name) ?? variableOf(name)?.[1] ?? options[name]?.default ?? "";',
      'return variableOf(name)?.[1] ?? flag(name) ?? options[name]?.default ?? "";',
    ],
    [
      "the own variable wins over that of a hosting platform",
      "settings/arguments.ts",
      "[variable, alias].find(",
      "[alias, variable].find(",
    ],
    [
      "a day of an expiry begins in UTC",
      "settings/arguments.ts",
      "new Date(/^\\d{4}-\\d\\d-\\d\\d$/.test(text) ? text : Number.NaN)",
      "new Date(/^\\d{4}-\\d\\d-\\d\\d$/.test(text) ? `${text}T23:59:59.999Z` : Number.NaN)",
    ],
    [
      "the window of --rate-limit is in the unit that it names",
      "settings/server_settings.ts",
      'const windowMs = (count === "" ? 1 : Number(count)) * (UNITS[unit] ?? Number.NaN);',
      'const windowMs = (count === "" ? 1 : Number(count)) * (UNITS[unit] ?? Number.NaN) / 1000;',
    ],
    [
      "a secret that is set twice is refused, not one of the two used",
      "settings/secret_files.ts",
      "    if (environment(name)) throw new SettingError(`${name} and ${variable} are both set; set one of them`);\n",
      "",
    ],
    [
      "an import that another one has overtaken adds no line twice and skips none",
      "transfer/import_records.ts",
      "    if (isSlower) continue;\n",
      "",
    ],
    [
      "the key of the first start is never purged",
      "commands/keys.ts",
      "label !== FIRST_LABEL && [expires, revoked]",
      "[expires, revoked]",
    ],
    [
      "a restored file has the mode of the file before",
      "commands/restore.ts",
      "      takeOwner(name, present);\n      const kept = await keep(present);",
      "      const kept = await keep(present);",
    ],
    [
      "a line that cannot be written in time is counted as dropped",
      "process/writers.ts",
      'dropped += line.split("\\n").length;',
      "dropped++;",
    ],
    [
      "lines that are added during a write leave its bytes alone",
      "process/writers.ts",
      "[encoded, spare] = [spare, encoded];",
      "",
    ],
    [
      "a new file is on disk before it gets its name",
      "process/folders.ts",
      "    fsyncSync(descriptor);\n",
      "",
      "tools/reliability/power/power_test.ts",
    ],
    [
      "the name of a new file is on disk before a command says so",
      "process/folders.ts",
      "    else rename(name, path);\n    syncFolder(folder);",
      "    else rename(name, path);",
      "tools/reliability/power/power_test.ts",
    ],
  ]),
];
