/** docs/hosts.md, made from the programs in tests/hosts and tests/edge. `deno task docs` runs this file and writes it. */

import { readFileSync } from "node:fs";
import { HOSTS, type MountedHost } from "../../tests/hosts/hosts.ts";
import { EDGE_SECTIONS, OWN_SECTIONS, type Section } from "./hosts_sections.ts";

const ROOT = new URL("../../", import.meta.url);

const INTRODUCTION = `<!-- Written by \`deno task docs\`. Change tests/hosts or tools/docs and run it again. -->

# Hosts

This page shows how to mount a petstore in a server or framework, beside the app's own routes.

- Pass the requests below the base path to \`petstore.handle\`, or on Node to \`createNodeListener(petstore)\`. Do not read
  their bodies first.
- \`basePath\` is the path that the petstore sees. If a router or proxy changes the path, see [A path prefix](#a-path-prefix).
- The second argument of \`petstore.handle\` is the address of the client, for \`rateLimit\`. A program that passes none needs
  [\`clientHeader\`](library.md#rate-limits).
- Without a \`store\`, pets are kept in memory. [Stores](stores.md) has the others.

Every program on this page is a file of the repository, and tests run it unchanged: \`deno task integration hosts\` and
\`deno task integration edge\` run the whole HTTP contract through each host, with the petstore at the root, at \`/v1\` and at
\`/api/v1\`. The first task also tests that two \`Set-Cookie\` fields stay separate, that long bodies are sent no faster than
the client reads, and that \`request.signal\` aborts when the client leaves. Node 24 runs TypeScript without a build.

The list below a program says where its responses differ from the petstore's own, and what else to know about the host. The
differences are tested too.
`;

const SHARED = `## Deviations that hosts share

The sections below do not repeat these.
`;

export function createHostsPage(): string {
  const sections = HOSTS.map(toSection);
  return [
    INTRODUCTION,
    createTable([...sections, ...EDGE_SECTIONS]),
    SHARED,
    SHARED_DEVIATIONS.map((says) => `- ${says}: ${hostsWith(says).map(({ name }) => name).join(", ")}.\n`).join(""),
    "## Servers and frameworks\n",
    ...sections.map(format),
    "## Workers, pages and frameworks with a build\n",
    ...EDGE_SECTIONS.map(format),
    "## Your own parts\n",
    ...OWN_SECTIONS.map(format),
  ].join("\n");
}

/** Deviations of more than two hosts are listed once. */
const SHARED_DEVIATIONS = [...new Set(HOSTS.flatMap(({ deviations }) => deviations.map(({ says }) => says)))]
  .filter((says) => hostsWith(says).length > 2);

function hostsWith(says: string): MountedHost[] {
  return HOSTS.filter(({ deviations }) => deviations.some((deviation) => deviation.says === says));
}

function toSection(host: MountedHost): Section {
  const own = host.deviations.map(({ says }) => says).filter((says) => !SHARED_DEVIATIONS.includes(says));
  const framing = "Responses are sent in chunks, without `Content-Length`; responses to `HEAD` have it";
  const root = "Mounted at the root, the petstore answers every request, even those for the app's own routes";
  return {
    title: host.name,
    runtime: host.runtime.name,
    text: host.about,
    files: [`tests/hosts/programs/${host.file}`],
    deviations: [
      ...own,
      ...host.sendsChunks ? [framing] : [],
      ...Object.entries(host.adds ?? {}).map(([name, value]) => `Every response has \`${name}: ${value}\``),
      ...host.hidesAppAtRoot ? [root] : [],
      ...host.notes ?? [],
    ],
  };
}

function createTable(sections: readonly Section[]): string {
  const rows = sections.map(({ title, runtime = "", files }) => {
    const isListener = files.some((path) => readSource(path).includes("createNodeListener("));
    return [`[${title}](#${anchorOf(title)})`, runtime, isListener ? "`createNodeListener()`" : "`handle`"];
  });
  const table = [["Host", "Tested on", "Mounted by"], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column]!.length)));
  const [head = "", ...body] = table.map((row) => `| ${row.map((cell, i) => cell.padEnd(widths[i]!)).join(" | ")} |\n`);
  return [head, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |\n`, ...body].join("");
}

export function anchorOf(title: string): string {
  return title.toLowerCase().replaceAll(/[^\w -]/g, "").replaceAll(" ", "-");
}

function format({ title, text, files, deviations = [] }: Section): string {
  // Brackets are part of some paths.
  const links = files.map((path) => `[\`${path}\`](../${encodeURI(path)})`).join(" and ");
  const programs = files.map((path) => {
    return `\`\`\`${path.split(".").at(-1)}\n${readSource(path).trimEnd()}\n\`\`\`\n`;
  });
  const list = deviations.map((deviation) => `- ${deviation}.\n`).join("");
  return [`### ${title}\n`, `${text}\n${links}:\n`, ...programs, ...list === "" ? [] : [list]].join("\n");
}

function readSource(path: string): string {
  return readFileSync(new URL(encodeURI(path), ROOT), "utf8");
}

if (import.meta.main) Deno.writeTextFileSync(new URL("docs/hosts.md", ROOT), createHostsPage());
