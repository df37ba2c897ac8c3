/** SVG plots of texts, lines and bars, with a background of their own for light and dark themes. */

export class Drawing {
  readonly #width: number;
  readonly #height: number;
  readonly #title: string;
  readonly #parts: string[] = [];

  constructor(width: number, height: number, title: string) {
    this.#width = width;
    this.#height = height;
    this.#title = title;
  }

  text(x: number, y: number, text: string, className = "label"): void {
    this.#parts.push(`<text x="${round(x)}" y="${round(y)}" class="${className}">${escape(text)}</text>`);
  }

  line(x1: number, y1: number, x2: number, y2: number, className: string): void {
    const ends = `x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"`;
    this.#parts.push(`<line ${ends} class="${className}"/>`);
  }

  bar(x: number, y: number, width: number, height: number, className: string): void {
    const size = `width="${round(width)}" height="${round(height)}"`;
    this.#parts.push(`<rect x="${round(x)}" y="${round(y)}" ${size} class="${className}"/>`);
  }

  path(points: readonly (readonly [x: number, y: number])[], className: string): void {
    const list = points.map(([x, y]) => `${round(x)},${round(y)}`).join(" ");
    this.#parts.push(`<polyline points="${list}" class="${className} stroke"/>`);
    for (const [x, y] of points) {
      this.#parts.push(`<circle cx="${round(x)}" cy="${round(y)}" r="4" class="${className}"/>`);
    }
  }

  /** The names of series beside their colours, from left to right. */
  legend(x: number, y: number, entries: readonly (readonly [className: string, name: string])[]): void {
    let left = x;
    for (const [className, name] of entries) {
      this.bar(left, y - 10, 12, 12, className);
      this.text(left + 18, y, name);
      left += 44 + name.length * 7;
    }
  }

  toString(): string {
    const size = `viewBox="0 0 ${this.#width} ${this.#height}" width="${this.#width}" height="${this.#height}"`;
    const title = escape(this.#title);
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${title}">`,
      `<title>${title}</title>`,
      `<style>${STYLE}</style>`,
      `<rect width="${this.#width}" height="${this.#height}" rx="6" class="paper"/>`,
      ...this.#parts,
      "</svg>\n",
    ].join("\n");
  }
}

/** The palette of Okabe and Ito, for all kinds of colour vision. */
const STYLE = `
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.head { font-size: 16px; font-weight: 600; }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.paper { fill: #ffffff; }
.grid { stroke: #d0d7de; }
.limit { stroke: #1f2328; stroke-width: 2; }
.memory { fill: #0072b2; stroke: #0072b2; }
.sqlite { fill: #009e73; stroke: #009e73; }
.peer { fill: #e69f00; stroke: #e69f00; }
.on-memory, .on-sqlite { fill: #ffffff; }
.on-peer { fill: #1f2328; }
.stroke { fill: none; stroke-width: 2.5; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .on-memory, .on-sqlite, .on-peer { fill: #0d1117; }
  .paper { fill: #0d1117; }
  .grid { stroke: #30363d; }
  .limit { stroke: #e6edf3; }
  .memory { fill: #56b4e9; stroke: #56b4e9; }
  .sqlite { fill: #2bc79a; stroke: #2bc79a; }
  .stroke { fill: none; }
}
`;

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
