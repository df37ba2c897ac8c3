/** Welch's t-test, on all measurements and below quantiles that come closer and closer to 1, as the tail grows thinner. */
const CROPS = [Infinity, ...Array.from({ length: 10 }, (_, i) => 1 - 0.5 ** (i + 1))];

/** The test that saw most. */
export interface Result {
  /** How many standard errors the means lie apart; positive if the second class takes longer. */
  t: number;
  /** The mean of the second class minus that of the first. */
  difference: number;
  count: number;
  /** The smallest standard error of any test. */
  finest: number;
}

/** `undefined` while one class has fewer measurements than are needed for a verdict. */
export function compare(classes: readonly [number[], number[]], fewest: number): Result | undefined {
  const sorted = Float64Array.from(classes.flat()).sort();
  const tests = CROPS.flatMap((crop) => {
    const limit = sorted[Math.floor(crop * sorted.length)] ?? Infinity;
    const [first, second] = classes.map((times) => describe(times.filter((time) => time < limit))) as [Part, Part];
    if (first.count < fewest || second.count < fewest) return [];
    const difference = second.mean - first.mean;
    const error = Math.sqrt(first.variance / first.count + second.variance / second.count);
    return [{ t: difference / error, difference, count: first.count + second.count, error }];
  });
  const [strongest] = tests.toSorted((one, other) => Math.abs(other.t) - Math.abs(one.t));
  return strongest && { ...strongest, finest: Math.min(...tests.map(({ error }) => error)) };
}

interface Part {
  count: number;
  mean: number;
  variance: number;
}

function describe(times: readonly number[]): Part {
  const count = times.length;
  const mean = times.reduce((sum, time) => sum + time, 0) / count;
  return { count, mean, variance: times.reduce((sum, time) => sum + (time - mean) ** 2, 0) / (count - 1) };
}
