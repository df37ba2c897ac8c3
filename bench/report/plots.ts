/** The two plots. */

import type { CurvePoint, Row } from "../row.ts";
import { Drawing } from "./svg.ts";

const WIDTH = 820;
const LEFT = 250;
const RIGHT = 60;
const TOP = 84;
const BAR = 16;
const GAP = 14;

/** What the bases are called that are the limit of a runtime. */
const LIMITS = new Set(["limit", "bare Bun.serve", "bare srvx"]);

/** Throughput beside the limit: a group of bars for each case, a bar for each contender. */
export function plotThroughput(rows: readonly Row[]): string {
  const groups = Map.groupBy(rows.filter(isThroughput), ({ title }) => title);
  const bars = [...groups.values()].flat().length;
  const height = TOP + bars * BAR + groups.size * GAP + 44;
  const drawing = new Drawing(WIDTH, height, "Throughput, relative to a bare server that sends the same bytes");
  const highest = Math.max(1, ...rows.filter(isThroughput).map(({ figure }) => figure.median));
  const scale = (WIDTH - LEFT - RIGHT) / (Math.ceil(highest * 10) / 10);
  drawing.text(20, 30, "Throughput, relative to a bare server that sends the same bytes", "head");
  drawing.legend(20, 58, [["memory", "Petstore, memory"], ["sqlite", "Petstore, SQLite"], [
    "peer",
    "the other framework",
  ]]);
  for (let share = 0; share <= highest; share += 0.25) {
    const x = LEFT + share * scale;
    drawing.line(x, TOP - 6, x, height - 34, share === 1 ? "limit" : "grid");
    drawing.text(x, height - 14, share === 1 ? "limit" : `${share * 100} %`, "middle");
  }
  let y = TOP;
  for (const [title, members] of groups) {
    drawing.text(LEFT - 12, y + members.length * BAR / 2 + 5, title, "end");
    for (const { subject, figure } of members) {
      drawing.bar(LEFT, y, figure.median * scale, BAR - 2, classOf(subject));
      const text = classOf(subject) === "peer" ? `${figure.median.toFixed(2)} ${subject}` : figure.median.toFixed(2);
      drawing.text(LEFT + 6, y + 12, text, `on-${classOf(subject)}`);
      y += BAR;
    }
    y += GAP;
  }
  return drawing.toString();
}

function isThroughput({ base, name }: Row): boolean {
  return LIMITS.has(base ?? "") && !name.startsWith("scale-");
}

function classOf(subject: string): string {
  return subject === "memory store" ? "memory" : subject === "SQLite store" ? "sqlite" : "peer";
}

/** The cost of a page at each size of the catalogue, relative to the smallest. */
export function plotScale(rows: readonly Row[]): string {
  const height = 340, bottom = height - 50, left = 70, right = WIDTH - 30;
  const curves = rows.flatMap(({ subject, curve }) => curve ? [{ subject, points: relative(curve) }] : []);
  const all = curves.flatMap(({ points }) => points);
  const highest = Math.max(2, Math.ceil(Math.max(...all.map(({ cost }) => cost))));
  const sizes = all.map(({ pets }) => Math.log10(pets));
  const [low, high] = [Math.min(...sizes), Math.max(...sizes)];
  const x = (pets: number) => left + 20 + (Math.log10(pets) - low) / (high - low) * (right - left - 40);
  const y = (cost: number) => bottom - cost / highest * (bottom - TOP);
  const drawing = new Drawing(WIDTH, height, "Cost of a page of 20 as the catalogue grows");
  drawing.text(20, 30, "Cost of a page of 20 as the catalogue grows, relative to 1,000 pets", "head");
  drawing.legend(20, 58, [["memory", "Petstore, memory"], ["sqlite", "Petstore, SQLite"]]);
  for (let cost = 0; cost <= highest; cost += highest > 4 ? Math.ceil(highest / 8) : 0.5) {
    drawing.line(left, y(cost), right, y(cost), cost === 1 ? "limit" : "grid");
    drawing.text(left - 10, y(cost) + 5, `${cost} ×`, "end");
  }
  for (const pets of new Set(all.map(({ pets }) => pets))) {
    drawing.text(x(pets), bottom + 24, pets.toLocaleString("en"), "middle");
  }
  drawing.text((left + right) / 2, height - 8, "pets in the catalogue", "middle");
  for (const { subject, points } of curves) {
    drawing.path(points.map(({ pets, cost }) => [x(pets), y(cost)] as const), classOf(subject));
  }
  return drawing.toString();
}

function relative(curve: readonly CurvePoint[]): { pets: number; cost: number }[] {
  const first = curve[0]?.microseconds ?? NaN;
  return curve.map(({ pets, microseconds }) => ({ pets, cost: microseconds / first }));
}
