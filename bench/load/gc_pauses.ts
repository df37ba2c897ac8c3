/** The pauses of V8's garbage collection, from the lines that `--trace-gc` adds to the log of a server. */

/** Pauses of one kind in one isolate. */
export interface Pauses {
  /** Its address. */
  isolate: string;
  kind: string;
  count: number;
  /** In milliseconds, like `longest`. */
  sum: number;
  longest: number;
}

/** V8 writes blocks, which end within a line of its own. */
const OF_ACCESS_LOG = /\d{4}-\d\d-\d\dT[\d:.]+Z [^\n]*\n/g;

const OF_V8 =
  /\[\d+:(0x[0-9a-f]+)\] +\d+ ms: (?:Incremental )?([A-Z][\w -]+?)(?: \(.*?\))? [\d.]+ \(.*? MB, ([\d.]+) \/.*/g;

/** Marking that goes on before a pause, while the program stands still too. */
const STEPS = /\(\+ ([\d.]+) ms in (\d+) steps .*?biggest step ([\d.]+) ms/;

/** Reads a log in text. The pauses of an isolate follow each other. */
export function readPauses(log: string): Pauses[] {
  const found = new Map<string, Pauses>();
  for (const [line, isolate = "", kind = "", pause] of log.replaceAll(OF_ACCESS_LOG, "").matchAll(OF_V8)) {
    add(found, { isolate, kind, count: 1, sum: Number(pause), longest: Number(pause) });
    const [sum = 0, count = 0, longest = 0] = STEPS.exec(line)?.slice(1).map(Number) ?? [];
    if (count > 0) add(found, { isolate, kind: "steps of marking", count, sum, longest });
  }
  return [...found.values()].sort((a, b) => a.isolate < b.isolate ? -1 : a.isolate > b.isolate ? 1 : 0);
}

function add(found: Map<string, Pauses>, pauses: Pauses): void {
  const key = `${pauses.isolate} ${pauses.kind}`;
  const last = found.get(key) ?? { ...pauses, count: 0, sum: 0, longest: 0 };
  last.count += pauses.count;
  last.sum += pauses.sum;
  last.longest = Math.max(last.longest, pauses.longest);
  found.set(key, last);
}
