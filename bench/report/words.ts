/** What the page says of every run. */

import { CATALOGUE_SIZE } from "../catalogue.ts";

/** How to repeat the figures, how to read them, and what they leave out. */
export const EXPLANATION = `## Repeat it

On Linux with two processor cores or more, \`taskset\` (Debian: util-linux) and \`wrk\`:

\`\`\`sh
deno task bench                  # everything; writes this page
deno task bench --quick          # a few cases in fewer rounds; writes nothing
deno task bench --only list-20   # one case; writes nothing
deno task bench --help           # the names of the cases
\`\`\`

Let nothing else run meanwhile. The databases are in the folder for temporary files (\`TMPDIR\`), which must be on a real
disk: in memory an fsync costs nothing.

## Read it

Figures are ratios. Contenders are processes of their own, on core 0; the load is made by \`wrk\` on core 1, with 64
connections unless the row says otherwise. They are measured in turn (A B C, A B C, …), a second each. The first round warms
up and is thrown away; the figure is the median of the ratios of the other rounds, and "rounds" is their range. "By
processor time" is the same ratio from the processor time that the server used for a request; it is steadier where other
work disturbs, and the floor is not held against it. A note says when the server's core was not busy, or that of \`wrk\`
was: such a figure compares something else than servers.

Before anything is measured, each contender must have answered with the right status, the peers with the very same body,
and the limit with the same headers too. All requests carry a valid key, but for the 401. The catalogue has
${CATALOGUE_SIZE.toLocaleString("en")} pets, a third in each status.

- **limit**: \`Deno.serve\` alone. Its handler returns a new \`Response\` with the text and the headers that the petstore has
  sent for the same request, from memory. It looks at nothing: not at the key, not at the path. Where a case asks for a
  thousand resources it sends their answers in turn. For a POST it reads the body by \`arrayBuffer()\` and sends a fixed 201.
- **bare Bun.serve**, **bare srvx**: the same on Bun, and on Node through the fetch adapter srvx with its \`FastResponse\` as
  the global \`Response\`. The petstore on Node is mounted in the same way.
- **Hono**, **Elysia**, **Fastify**: the same paths and the same JSON from an array of objects, with the framework's own
  validation and a check of the bearer key. They are let off what they do not have: entity tags, deprecation headers, exact
  int64 numbers, durability.
- **GET one**, **List**: at best what a busy client sees. One address is asked for over and over, except where the row says
  "at random"; so most answers may come from a cache of the petstore, where it has one.
- **Deep pages**: pages of 20 from the second half of the catalogue.
- **Durable POST**: the SQLite store with \`synchronous = FULL\`, against the memory store, and against a store that does one
  commit for each request.
- **p99 … while 64 connections create**: 64 connections read, 64 others create; both loads share core 1.
- **304** and refusals: against a 200 of the same server; 1.00 means that they cost the same.
- **In-process**: the time from a \`Request\` that is ready to its \`Response\`. Making the one and reading the other is not
  in it.
- **not kept**: pages of ten pets, asked of the store itself, each once, so that no cache can have them; the median of parts of
  fifty, so pauses of the garbage collector are not in it. "Rare" is a status
  that ten pets of all have. **As served**: the same three kinds of page over HTTP, one address each.
- **Memory for each pet**: growth of the resident memory of a process that fills a memory store through \`create\`, after
  garbage collection; names have 12 letters, categories are below 1,000.
- **Longest pause**: the longest stretch of a thousand creates in that process, with making the pets.
- **Walking**: one client on one connection that follows \`Link\`, each page once, against the same client at the limit.
- **Opening**: from the call that opens the database to the first answer of a list, less the same for an empty database.

## What it does not show

- A network, TLS, a proxy, slow clients or more than one core for a server.
- How the petstore compares where a body is large, or where a hundred thousand different addresses are asked for evenly.
- What a cold disk costs: the operating system has the files in its cache.
- Other machines. An fsync takes from microseconds to many milliseconds, and the rows of durable creation follow it.
- What the frameworks could do without validation, or with a database.
- Differences of a few hundredths: runs differ by as much.
`;
