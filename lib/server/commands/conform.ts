import type { ConformanceCase, FirstResponse } from "../../testing/conformance/conformance.ts";
import { DEFAULT_SEED } from "../../testing/http/generated/random.ts";
import type { ConformanceTarget } from "../../testing/conformance/client.ts";
import { runAll } from "../../testing/conformance/run.ts";
import { type CommandArguments, numberFrom, oneOf, splitList } from "../settings/arguments.ts";
import { readSecret } from "../settings/secret_files.ts";
import { SettingError } from "../process/start_error.ts";
import type { Command } from "./command.ts";
import { asJson, describeEnd, describePets, describeResult, type Report } from "../../testing/conformance/report.ts";

const MOST_SEED = 9_999_999;

/** How long all cases together may take, in time limits of one response. */
const MOST_TIMEOUTS = 100;

export const CONFORM: Command = {
  summary: "test a server in any language: does it keep the HTTP contract?",
  settings: [],
  flags: {
    key: {
      value: "key",
      variable: "PETSTORE_KEYS",
      help: "the API key to send, which may read and write; of several in the variable, the first in clear text. " +
        "A flag is visible in the list of processes",
    },
    "key-file": { value: "path", variable: "PETSTORE_KEYS_FILE", help: "a file with the key" },
    level: {
      value: "specification|full",
      default: "full",
      help: "test what the specification says and nothing else, or also what this project adds to it",
    },
    only: { value: "area", example: "pets.list", help: "test this area alone, or all areas whose names begin so" },
    seed: {
      value: "number",
      default: String(DEFAULT_SEED),
      help: "choose other requests: those that are generated follow from it, so that a run can be repeated",
    },
    timeout: { value: "seconds", default: "10", help: "how long to wait for each response" },
    json: { help: "print JSON: url, level, seed, counts, cases, and the ids of the pets that were added" },
  },
  operand: "url",
  about:
    "Prints a line for each case of the HTTP contract, and for one that fails the promise that is broken, what was wrong, the " +
    "last request and the response. The cases add at most 500 pets, and the last line has their ids: the API cannot remove them.",
  statuses: [
    "all cases pass",
    "a case fails, or the run is cut short",
    "a wrong command line, or the server cannot be reached, refuses the key, or is no petstore",
  ],
  examples: [
    "petstore conform http://127.0.0.1:8000/v1 --key-file data/api-key",
    "PETSTORE_KEYS=secret petstore conform https://pets.example/v1 --level specification",
    "petstore conform http://127.0.0.1:8000/v1 --key-file data/api-key --only pets.list",
  ],
  async run(args, { writers: { output, errors }, runtime }) {
    const url = readAddress(args.operand);
    const level = args.read("level", oneOf("specification", "full"));
    const seed = args.read("seed", numberFrom(0, MOST_SEED));
    const pets: Report["pets"] = { ids: new Set(), unknown: 0 };
    const timeoutMs = 1000 * args.read("timeout", numberFrom(1, 600));
    const abort = new AbortController();
    const target: ConformanceTarget = {
      baseUrl: url.href,
      key: readKey(args),
      ...{ seed, timeoutMs },
      onCreate: (id) => void (id === undefined ? pets.unknown++ : pets.ids.add(id)),
      signal: abort.signal,
      ...(runtime.fetchOnce && { fetch: runtime.fetchOnce }),
    };
    const { conformanceCases, tryTarget } = await import("../../testing/conformance/conformance.ts");
    const cases = select(conformanceCases(target), level, args.flag("only"));
    checkTarget(url, await tryTarget(target));
    runtime.ending().then(() => abort.abort("a signal has ended the command"));
    const late = `the run has taken ${MOST_TIMEOUTS} times as long as one response may`;
    const timer = setTimeout(() => abort.abort(late), MOST_TIMEOUTS * timeoutMs);
    const results: Report["results"] = [];
    const report = { url: url.href, level, seed, results, pets };
    const add = args.isOn("json") ? () => {} : (line: string) => output.add(line);
    for await (const result of runAll(cases, abort.signal)) {
      results.push(result);
      if (result.outcome !== "skip") add(describeResult(result));
      if (output.hasFailed) abort.abort("standard output is closed");
    }
    clearTimeout(timer);
    if (args.isOn("json")) output.add(asJson(report));
    else describeEnd(report).forEach((line) => output.add(line));
    await output.flush();
    // The pets stay, so something must tell of them.
    if (output.hasFailed) errors.add(`petstore: ${describePets(pets)}`);
    if (abort.signal.aborted) errors.add(`petstore: not all cases have run: ${abort.signal.reason}`);
    return abort.signal.aborted || results.some(({ outcome }) => outcome === "fail") ? 1 : 0;
  },
};

function readAddress(text: string): URL {
  const url = URL.parse(text);
  const form = "the base address of an API, such as http://127.0.0.1:8000/v1, without a user, a query or a fragment";
  // It is not quoted, because it may have a password, or be a key.
  if (!url || url.search + url.hash + url.username + url.password !== "" || !/^https?:$/.test(url.protocol)) {
    throw new SettingError(`Name ${form}`);
  }
  url.pathname = url.pathname.replace(/\/$/, "");
  return url;
}

function readKey(args: CommandArguments): string {
  const path = args.flag("key-file");
  if (path !== undefined && args.flag("key") !== undefined) {
    throw new SettingError("--key and --key-file are both given; give one of them");
  }
  const keys = splitList(path === undefined ? args.text("key") : readSecret(path, "--key-file"));
  const key = keys.find((each) => each !== "" && !each.startsWith("sha256:"));
  if (key === undefined) {
    throw new SettingError("Name the key to send, in clear text, by --key-file, PETSTORE_KEYS or --key");
  }
  if (!/^[\x21-\x7e]+$/.test(key)) throw new SettingError("The key must consist of visible ASCII characters");
  return key;
}

/** The cases of a level and an area. Some areas need a petstore with options, which an address does not give. */
function select(all: readonly ConformanceCase[], chosen: string, only: string | undefined): ConformanceCase[] {
  const cases = all.filter(({ level }) => chosen === "full" || level === chosen);
  const selected = cases.filter(({ area }) => only === undefined || `${area}.`.startsWith(`${only}.`));
  if (selected.some(({ skip }) => !skip)) return selected;
  const areas = [...new Set(cases.filter(({ skip }) => !skip).map(({ area }) => area))].sort();
  throw new SettingError(`--only must be an area, not ${JSON.stringify(only)}; the areas are ${areas.join(", ")}`);
}

/** Throws if there is no use in a hundred cases. */
function checkTarget({ href }: URL, seen: FirstResponse | string): void {
  if (typeof seen === "string") throw new SettingError(`${href} cannot be reached: ${seen}`);
  const { status, location, path, isPage } = seen;
  if (status === 401 || status === 403) {
    throw new SettingError(`${href} answers ${status}, so it refuses the key; name one that may read and write`);
  }
  const target = status >= 300 && status < 400 && location ? ` and redirects to ${JSON.stringify(location)}` : "";
  // A pet with the id 1 may be missing.
  if (target === "" && !(status === 404 && path.startsWith("/pets?")) && !(status === 200 && isPage)) return;
  throw new SettingError(`${href} answers ${status}${target}, so it is not the base address of a petstore`);
}
