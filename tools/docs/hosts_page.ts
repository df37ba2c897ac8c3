/** docs/hosts.md, made from the programs in tests/heavy/hosts and tests/heavy/edge. `deno task docs` runs this file and writes it. */

import { readFileSync } from "node:fs";
import { HOSTS, type MountedHost } from "../../tests/heavy/hosts/hosts.ts";
import { ODD_REQUESTS, type OddName, type OddResponses, WORKERD_ODD } from "../../tests/support/http/odd_requests.ts";
import { EDGE_SECTIONS, OWN_SECTIONS, type Section } from "./hosts_sections.ts";

const ROOT = new URL("../../", import.meta.url);

const INTRODUCTION = `<!-- Written by \`deno task docs\`. Change tests/heavy/hosts or tools/docs and run it again. -->

# Hosts

For developers who mount a petstore in a server or framework, beside the app's own routes:

- Find your host in the list below. Its section has a tested program, and says how its responses differ from the petstore's own.
- On any host, pass the requests below the base path to \`petstore.handle\`, or on Node to \`createNodeListener(petstore)\`. Do not
  read their bodies first.
- \`basePath\` is the path that the petstore sees. If a router or proxy changes the path, see [A path prefix](#a-path-prefix).
- [The end of the page](#what-several-hosts-do) has the differences that several hosts share, and [odd requests](#odd-requests).
`;

const TESTED = `These hosts are tested, and the tests check the differences that this page names:
`;

/** Lines with which most programs begin. The page shows them once. */
const DENO_LINES: readonly string[] = [
  'const basePath = Deno.env.get("BASE_PATH") ?? "/v1";',
  'const petstore = createPetstore({ keys: ["pk_example"], basePath });',
];

const SHARED_LINES = [
  'import process from "node:process";',
  'import { createPetstore } from "@petstore/petstore";',
  'import { createNodeListener } from "@petstore/petstore/node";',
  "",
  'const { PORT = "8000", BASE_PATH = "/v1" } = process.env;',
  'const petstore = createPetstore({ keys: ["pk_example"], basePath: BASE_PATH });',
  "const servePetstore = createNodeListener(petstore);",
];

const BEGINNING =
  `Each section shows the part of the program that is special to a host, and names the file with the complete program. On Node and Bun,
most programs begin with these lines, which this page does not repeat:

\`\`\`ts
${SHARED_LINES.join("\n")}
\`\`\`

On Deno, they begin with these lines instead. Deno, Bun and Node 24 run TypeScript without a build.

\`\`\`ts
import { createPetstore } from "@petstore/petstore";

${DENO_LINES.join("\n")}
\`\`\`
`;

const LEFT_OUT: ReadonlySet<string> = new Set([...SHARED_LINES, ...DENO_LINES]);

export function createHostsPage(): string {
  const sections = [...HOSTS.map(toSection), ...EDGE_SECTIONS];
  const shared = shareDeviations(sections);
  const formatHost = (section: Section) =>
    format({ ...section, deviations: section.deviations?.filter((says) => !shared.has(says)) ?? [] });
  return [
    INTRODUCTION,
    BEGINNING,
    TESTED,
    createContents(sections),
    "## Servers and frameworks\n",
    ...sections.slice(0, HOSTS.length).map(formatHost),
    "## Workers, pages and frameworks with a build\n",
    ...sections.slice(HOSTS.length).map(formatHost),
    "## Your own parts\n",
    ...OWN_SECTIONS.map(format),
    SHARED,
    Array.from(shared, ([says, hosts]) => `- ${says}: ${hosts.join(", ")}.\n`).join(""),
    ODD,
    createOddList(),
  ].join("\n");
}

const SHARED = `## What several hosts do

These responses differ from the petstore's own on the hosts that each line names.
`;

const ODD = `## Odd requests

Hosts answer, refuse or change some malformed or hostile requests before the petstore can see them. So a proxy in front must not make
decisions by a path with dot segments, or by a length that a host ignores. Each line has the statuses of all responses on the connection
as most hosts send them, and then the hosts that differ. "Closed" means that the host then closes the connection.
`;

/** Lists the requests that hosts answer in their own way: what most do, and those that differ. */
function createOddList(): string {
  const hosts: [string, OddResponses][] = HOSTS.filter(({ collectsBodies }) => !collectsBodies)
    .map(({ name, odd = {} }) => [name, odd]);
  hosts.push(["workerd", WORKERD_ODD]);
  return Object.entries(ODD_REQUESTS).map(([name, { what, usual }]) => {
    const others = new Map<string, string[]>();
    for (const [host, { [name as OddName]: seen }] of hosts) {
      if (seen !== undefined) others.set(seen, [...others.get(seen) ?? [], host]);
    }
    const differ = Array.from(others, ([seen, names]) => `; ${seen || "closed"} on ${names.join(", ")}`);
    return `- ${what}: ${usual}${differ.join("")}\n`;
  }).join("");
}

/** Finds the deviations of more than one host, with the names of these hosts. */
function shareDeviations(sections: readonly Section[]): Map<string, string[]> {
  const hosts = new Map<string, string[]>();
  for (const { title, deviations = [] } of sections) {
    for (const says of deviations) hosts.set(says, [...hosts.get(says) ?? [], title]);
  }
  return new Map(Array.from(hosts).filter(([, titles]) => titles.length > 1));
}

function toSection(host: MountedHost): Section {
  const framing = "Responses are sent in chunks, without `Content-Length`; responses to `HEAD` have it";
  const root = "Mounted at the root, the petstore answers every request, even those for the app's own routes";
  const program = [`tests/heavy/hosts/programs/${host.file}`];
  return {
    title: host.name,
    runtime: host.runtime.name,
    text: host.about,
    files: host.isLinked ? [] : program,
    linked: host.isLinked ? program : [],
    deviations: [
      ...host.deviations.map(({ says }) => says),
      ...host.sendsChunks ? [framing] : [],
      ...Object.entries(host.adds ?? {}).map(([name, value]) => `Every response has \`${name}: ${value}\``),
      ...host.hidesAppAtRoot ? [root] : [],
      ...host.notes ?? [],
    ],
  };
}

/** Lists the hosts, by the runtime that each was tested on. */
function createContents(sections: readonly Section[]): string {
  const runtimes = [...new Set(sections.map(({ runtime }) => runtime))];
  return runtimes.map((runtime) => {
    const hosts = sections.filter((section) => section.runtime === runtime);
    return `- **${runtime}:** ${hosts.map(({ title }) => title).join(", ")}\n`;
  }).join("");
}

function format({ title, text, files, linked = [], deviations = [] }: Section): string {
  // The paths are no links, because the packages have this page without the programs.
  const links = [...files, ...linked].map((path) => `\`${path}\``);
  const programs = files.map((path) => `\`\`\`${path.split(".").at(-1)}\n${shorten(readSource(path))}\n\`\`\`\n`);
  const list = deviations.map((deviation) => `- ${deviation}.\n`).join("");
  return [`### ${title}\n`, `${text} (${links.join(", ")})\n`, ...programs, ...list === "" ? [] : [list]].join("\n");
}

/** Leaves out of a program the lines that the page shows once. */
function shorten(source: string): string {
  const lines = source.split("\n").filter((line) => line === "" || !LEFT_OUT.has(line));
  return lines.join("\n").replaceAll(/\n{3,}/g, "\n\n").trim();
}

function readSource(path: string): string {
  return readFileSync(new URL(encodeURI(path), ROOT), "utf8");
}

if (import.meta.main) Deno.writeTextFileSync(new URL("docs/hosts.md", ROOT), createHostsPage());
