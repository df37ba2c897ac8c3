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

## Where a floor is not met

The floors were set before anything was measured, and none has been lowered. What the profile shows of those that are missed,
what was tried, and what it would take:

- **Reads against the limit (0.90).** The handler of the limit takes no argument, so \`Deno.serve\` does not even make a
  \`Request\` for it. And once anybody has looked at \`request.headers\`, Deno 2.9 copies all headers before it lets the
  request go, and settles the answer by two promises more (\`requestHeadersExposed\` in its \`ext/http/00_serve.ts\`). A
  service with keys has to look. The rows "beside a limit that reads the head" say what that costs a bare server, and how
  little the petstore adds. Tried and kept: answers that are kept whole, headers as a record instead of a list of pairs, no
  promise where nothing is waited for, nothing thrown. It would take a Deno in which to read one header costs one header.
- **Reads against Hono (4 ×).** The limit itself is hardly faster than that: see the rows "Hono / limit".
- **POST against the limit (0.85).** Of what the petstore does more, most is unavoidable: the rows "limit that reads" are a bare
  server that reads a key, the four headers that decide about a body, and parses the JSON, without storing anything. Tried and
  kept: short ASCII bodies are decoded without the host's decoder, which costs a tenth; a list of deadlines instead of a timer
  for each body; one promise less for every layer. On Bun it is the same.
- **Durable POST.** Rows travel sixteen to a statement, which halved what a batch costs. What is left is the fsync, during
  which the process waits, and one walk of two B-trees for each pet. To be faster it would take a thread of its own for the
  database, and so a copy of every pet between threads.
- **p99 beside creates (3 ×).** The p99 of a server that only reads is 0.8 milliseconds in some rounds and 2.5 in others, by
  whether long pauses of the garbage collector fall into its last hundredth; so is the ratio near 1 or above 3. Beside creates in
  the memory store, where there is no disk to wait for, it is the same: 128 clients share one core. A checkpoint of the write-ahead
  log takes a millisecond, and making it rarer or smaller changed nothing.
- **Walking in the memory store.** SQLite reads the next page while the client is busy with this one, and meets its floor. The
  memory store would have to make its pages ahead too, but it uses web-standard APIs alone, and those have nothing that runs soon
  after an answer has left: a timer of zero comes after one to two milliseconds, twenty pages too late.

## What it does not show

- A network, TLS, a proxy, slow clients or more than one core for a server.
- How the petstore compares where a body is large, or where a hundred thousand different addresses are asked for evenly.
- What a cold disk costs: the operating system has the files in its cache.
- Other machines. An fsync takes from microseconds to many milliseconds, and the rows of durable creation follow it.
- What the frameworks could do without validation, or with a database.
- Differences of a few hundredths: runs differ by as much.
`;
