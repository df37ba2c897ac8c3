/** Sizes and durations as a reader of the description would write them. */

/** A number of bytes, such as `64 KiB` or `1000 bytes`. */
export function sizeInWords(bytes: number): string {
  return inUnits(bytes, [[1024 * 1024, "MiB"], [1024, "KiB"], [1, "bytes"]]);
}

/** A number of milliseconds, such as `24 hours` or `15 seconds`. */
export function durationInWords(milliseconds: number): string {
  return inUnits(milliseconds, [[3_600_000, "hours"], [60_000, "minutes"], [1000, "seconds"], [1, "milliseconds"]]);
}

/** The largest unit of which a number has a whole count, such as `64 KiB`. */
function inUnits(value: number, units: readonly (readonly [size: number, name: string])[]): string {
  const [size, name] = units.find(([size]) => value >= size && value % size === 0) ?? units.at(-1)!;
  const count = value / size;
  return `${count} ${count === 1 ? name.replace(/s$/, "") : name}`;
}
