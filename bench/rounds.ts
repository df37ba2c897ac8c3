/**
 * Interleaved rounds: A B C, A B C, …, so that other work on the machine affects all contenders
 * equally. Each round starts the contenders anew, because two processes of the same code differ
 * more than two turns of one process.
 */

import type { Load } from "./load/wrk.ts";
import { type Figure, type Row, rowOf, type Sample, type Series } from "./row.ts";

/** What is measured: a server, or a program that calls `handle()` itself. */
export interface Contender extends AsyncDisposable {
  /** The port of a server. */
  readonly port?: number;
  /** The body of the response to one request of a load. Fails if it has an unexpected status. */
  ask?(load: Load): Promise<string>;
  /** Measures for some seconds, after some of the same load: the engine compiles what it runs, and caches fill. */
  measure(load: Load, warmUp: number, seconds: number): Promise<Sample>;
}

/** Cases with the same contenders. */
export interface Section {
  title: string;
  /** How to start each contender, by its name in the rows. The first is a petstore, and is started first. */
  contenders: Record<string, (place: Place) => Promise<Contender>>;
  cases: readonly Case[];
  /** Whether all contenders must answer a GET with the same body. */
  isCompared?: boolean;
  /** Seconds of load before each measurement. Default: 0.5. */
  warmUp?: number;
}

/** Where a contender starts. */
export interface Place {
  /** A folder of its own, which keeps its files from round to round. */
  folder: string;
  /** The port of the first contender, from which the bare servers get their responses. */
  firstPort?: number | undefined;
}

/** A question and the figures that answer it. */
export interface Case {
  /** The name for `--only`, which begins with that of its section. */
  name: string;
  title: string;
  load: Load;
  figures: readonly Figure[];
}

/** Seconds of a measurement, and of the load before. More rounds say more than longer measurements. */
const SECONDS = 0.5;

/** Measures the named cases of a section in so many rounds. */
export async function measureSection(
  section: Section,
  names: readonly string[],
  rounds: number,
  folder: string,
): Promise<Row[]> {
  const cases = section.cases.filter(({ name }) => names.includes(name));
  if (cases.length === 0) return [];
  const measured = new Map<Case, Series>(cases.map((each) => [each, {}]));
  for (let round = 1; round <= rounds; round++) {
    console.error(`bench: ${section.title}, round ${round} of ${rounds}`);
    await runRound(section, measured, folder, round % 2 === 0);
  }
  return [...measured].flatMap(([{ name, title, figures }, series]) =>
    figures.map((figure) => rowOf(name, title, figure, series))
  );
}

/** Adds a sample of each contender to each case. Every second round goes through the contenders backwards. */
async function runRound(section: Section, measured: Map<Case, Series>, folder: string, isBackwards: boolean) {
  const { contenders, warmUp = SECONDS, isCompared = false } = section;
  await using stack = new AsyncDisposableStack();
  const started: [name: string, contender: Contender][] = [];
  for (const [name, start] of Object.entries(contenders)) {
    const own = `${folder}/${section.title}/${name}`.replaceAll(" ", "-");
    Deno.mkdirSync(own, { recursive: true });
    started.push([name, stack.use(await start({ folder: own, firstPort: started[0]?.[1].port }))]);
  }
  if (isBackwards) started.reverse();
  for (const [{ load }, series] of measured) {
    const bodies = await Promise.all(started.map(([, contender]) => contender.ask?.(load)));
    // Each POST adds another pet.
    if (isCompared && !load.body && new Set(bodies).size > 1) throw new Error(`${load.path} has several answers`);
    for (const [name, contender] of started) {
      const sample = await contender.measure(load, warmUp, SECONDS);
      (series[name] ??= []).push(sample);
    }
  }
}
