/**
 * Do two classes of measurements take the same time? As in dudect (Reparaz, Balasch, Verbauwhede: "Dude, is my code
 * constant time?", DATE 2017): Welch's t-test on all measurements, and again below each of a hundred thresholds,
 * because interruptions make a long tail that hides a small difference.
 */

export interface TestResult {
  /** How many standard errors the means lie apart; positive if class 1 takes longer. */
  t: number;
  /** The mean of class 1 minus that of class 0. */
  difference: number;
  standardError: number;
  count: number;
}

/** The thresholds, from the median up to the 1024th that is dropped. */
const CROPS = 100;

/** Means and variances of two classes, kept as they come (Welford). */
class WelchTest {
  readonly #count = [0, 0];
  readonly #mean = [0, 0];
  readonly #squares = [0, 0];

  add(value: number, which: 0 | 1): void {
    const count = ++this.#count[which]!;
    const delta = value - this.#mean[which]!;
    this.#mean[which]! += delta / count;
    this.#squares[which]! += delta * (value - this.#mean[which]!);
  }

  /** `undefined` while one class has fewer measurements than are needed for a verdict. */
  result(fewest: number): TestResult | undefined {
    const [n0 = 0, n1 = 0] = this.#count;
    if (n0 < fewest || n1 < fewest) return undefined;
    const difference = this.#mean[1]! - this.#mean[0]!;
    const standardError = Math.sqrt(this.#squares[0]! / (n0 - 1) / n0 + this.#squares[1]! / (n1 - 1) / n1);
    return { t: difference / standardError, difference, standardError, count: n0 + n1 };
  }
}

/** All tests of one pair of classes. The first batch only warms up, and sets the thresholds. */
export class CroppedTests {
  readonly #whole = new WelchTest();
  readonly #cropped = Array.from({ length: CROPS }, () => new WelchTest());
  #thresholds: Float64Array | undefined;

  addBatch(times: Float64Array, classes: Uint8Array): void {
    if (!this.#thresholds) {
      this.#thresholds = thresholdsOf(times);
      return;
    }
    for (let i = 0; i < times.length; i++) this.#add(times[i]!, classes[i] === 1 ? 1 : 0, this.#thresholds);
  }

  #add(time: number, which: 0 | 1, thresholds: Float64Array): void {
    this.#whole.add(time, which);
    // They ascend: what is below one is below all that follow.
    for (let i = CROPS - 1; i >= 0 && time < thresholds[i]!; i--) this.#cropped[i]!.add(time, which);
  }

  /** The results of every test that has enough measurements of each class. */
  results(fewest: number): TestResult[] {
    return [this.#whole, ...this.#cropped].map((test) => test.result(fewest)).filter((result) => result !== undefined);
  }
}

/** Quantiles that come closer and closer to 1, as the tail grows thinner. */
function thresholdsOf(times: Float64Array): Float64Array {
  const sorted = times.toSorted();
  return Float64Array.from({ length: CROPS }, (_, i) => {
    const quantile = 1 - 0.5 ** (10 * (i + 1) / CROPS);
    return sorted[Math.floor(quantile * sorted.length)] ?? Infinity;
  });
}
