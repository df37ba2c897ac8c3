/** The explanations on docs/benchmarks.md. */

import { CATALOGUE_SIZE } from "../catalogue.ts";

/** How to repeat the figures, how to read them, and what they do not show. */
export const EXPLANATION = `## Repeat it

The benchmark needs Linux with two processor cores or more, \`taskset\` (Debian: util-linux) and \`wrk\`:

\`\`\`sh
deno task bench                  # all cases, about 15 minutes; writes this page
deno task bench --resume         # after an interruption: the cases that have no result yet
deno task bench --only list-20   # one case again; writes this page if all others have a result
deno task bench --quick          # a few cases in fewer rounds
deno task bench --help           # the names of the cases
\`\`\`

Run nothing else meanwhile. The databases are in the folder for temporary files (\`TMPDIR\`). It must be on a real disk,
because an fsync in memory costs nothing.

## Read it

Figures are ratios. Each contender is a process on core 0. \`wrk\` makes the load on core 1, with 64 connections unless the
row says otherwise. The contenders are measured in turn (A B C, A B C, …), for a second each. The first round warms up and is
discarded. The figure is the median of the ratios of the other rounds, and "rounds" is their range. "By processor time" is
the same ratio by the processor time that the server used for a request. It varies less beside other work, and floors do not
apply to it. A note says when the core of the server was not busy: then something else than the server limited the figure.

Before a measurement, each contender must answer with the right status, the peers with the same body, and the limit with the
same headers, too. All requests have a valid key, except those for the 401. The catalogue has
${CATALOGUE_SIZE.toLocaleString("en")} pets, a third in each status.

- **default server**: the standalone server as \`deno task serve\` starts it, with an SQLite file and the access log. The log
  goes to a file.
- **itself without log**: the same with \`--log=off\`.
- **Seeing**: the standalone server with a log, metrics, request ids or a rate limit that is never reached, compared with the
  same server without any of them. With a rate limit, no response had the \`RateLimit\` fields.
- **Traces**: the standalone server without a log, exporting its traces to a receiver on the core of the load, which discards them. The
  times are processor time of the server for each request, its exporter included.
- **each fsync … longer**: a preloaded library lengthens \`fdatasync\` and \`fsync\` of the server, as on a common network disk
  (\`bench/slow_disk.c\`). **64 for each fsync**: the rate if all 64 connections had their creates in every commit, and a
  commit took only its fsync.
- **two workers**: the standalone server with \`--workers=2\`, compared with \`--workers=1\`. Here the servers and the load share
  both cores.
- **limit**: \`Deno.serve\` alone. Its handler returns a new \`Response\` with the petstore's text and headers for the same
  request, from memory. It reads neither the key nor the path. In a case with a thousand resources it sends their responses in
  turn. For a POST it reads the body with \`arrayBuffer()\` and sends a fixed 201.
  **Limit that reads**: it also reads what every service must read: the headers of a key and of a body, and the JSON. **Limit that
  reads and answers**: it also counts ids, and answers with the pet and its \`Location\`.
- **bare Bun.serve**: the same on Bun. **Bun.serve that reads** reads the headers of a key and of the body, and parses the JSON.
- **bare node:http**: compares the key, parses the body of a POST with \`JSON.parse\`, and sends the petstore's text and headers
  from memory. The petstore on Node is \`createNodeListener(petstore)\`, also on \`node:http\`.
- **Hono**, **Elysia**, **Fastify**: on Node, Hono runs on @hono/node-server. They have the same paths and the same JSON from an array of objects, with the framework's own
  validation, and a check of the bearer key. They omit entity tags, deprecation headers, exact int64 numbers and durability.
- **GET one**, **List**: the best case of a busy client. It requests one address repeatedly, except in the rows "at random",
  so most responses can come from the petstore's cache.
- **Deep pages**: pages of 20 from the second half of the catalogue.
- **Durable POST**: the SQLite store with \`synchronous = FULL\`, compared with the memory store and with a store that commits
  each request alone.
- **p99 … while 64 connections create**: 64 connections read and 64 others create. Both loads share core 1.
- **304** and refusals: compared with a 200 of the same server. 1.00 means equal cost.
- **A million pets**: \`petstore import\` and \`export\` as processes, start included, and SQLite's shell. \`.import\` gets the rows as the
  table has them, into a file with the same tables, indexes and triggers, in one transaction; it checks no name, and remembers nothing.
- **In-process**: the time from a \`Request\` to its \`Response\`, without creating the one and reading the other. **A Response
  alone**: the time to make a \`Response\` with the same text and headers.
- **not kept**: pages of ten pets from the store itself, each read once, so that no cache can have them. The figure is the
  median of parts of fifty pages, so pauses of the garbage collector do not count. "Rare" is a status that ten of all pets
  have. **As served**: the same three kinds of page over HTTP, with one address each.
- **Memory for each pet**: the growth of the resident memory of a process that fills a memory store through \`create\`, after
  garbage collection. Names have 12 letters, categories are below 1,000.
- **Longest pause**: the longest time of a thousand creates in that process, including the time to compute the pets.
- **Walking**: one client on one connection that follows \`Link\`, each page once, compared with the same client at the limit.
- **Opening**: the time from opening the database to the first response of a list, minus the same for an empty database.

## Floors that are not met

The floors were set before the first measurement, and none has been lowered, except two of the memory
store, for its bytes and its pauses, when plain arrays took the place of packed bytes. For each missed floor, this is what the profile
shows, what was tried, and what would help:

- **Reads compared with the limit (0.90).** The handler of the limit has no parameter, so \`Deno.serve\` does not even create
  a \`Request\` for it. When a handler reads \`request.headers\`, Deno 2.9 copies all headers and uses two more promises for
  the response (\`requestHeadersExposed\` in its \`ext/http/00_serve.ts\`). A service with keys must read a header. The rows
  "beside a limit that reads the head" show the cost for a bare server, and how little the petstore adds. Tried and kept:
  complete responses in a cache, headers as a record instead of pairs, no promise without a wait, no exceptions. A Deno that
  copies only the header that is read would help.
- **Reads compared with Hono (4 ×).** The limit itself is hardly faster: see the rows "Hono / limit".
- **POST compared with the limit (0.85), and with the limit that reads (0.95).** A limit that also answers with its own pet shows
  how much of this is unavoidable. The rest is a dozen small steps: the key check whose time reveals nothing, the route, the
  limits of a body, validation, the store. Tried and kept: a list of deadlines instead of a timer for each body; one promise less
  in each layer; Deno's lenient decoder, because the strict one takes three times as long. Tried without effect: a linked list
  of deadlines. Bun gives the same picture.
- **POST on Node (0.85).** In a loop, the whole way from a request to its response takes 2 µs. Between requests, the system and
  \`node:http\` empty the caches of the processor, and the same steps take 8 to 10 µs of the 30 for a POST. A bare server has fewer
  steps. A listener of twenty lines that validates, stores and answers, and does nothing else, reaches 0.86. Tried and kept: no
  Error for a request that is complete, which took a third of a POST; a listener less; the runtime's decoder; one pass less over
  the text. Tried without effect: no promises at all, no deadline for the body, and Node's own headers object.
- **Creates on a slow disk (0.75).** Every commit has all 64 creates. A cycle is 6 ms for the commit, which are the fsync, the rows
  and the messages to the thread and back, and then 1.5 to 2 ms in which the server answers 64 clients and reads their next
  requests. A bare \`Deno.serve\` takes 1 ms for that. The reads, the thread and the creates share one core. It would take HTTP at
  the speed of the bare server.
- **Creates with two workers (1.25).** One worker, the thread and the load together keep 1.2 of the two cores busy already, and wait
  for the disk in turn. Tried and kept: the thread waits for all workers, so that a transaction has the creates of both; the main
  isolate gets the lines of the log without reading their bytes one by one, as Deno's \`port.on()\` does. It would take a third
  processor.
- **A kept response in less than 2 µs.** On Deno, a \`Response\` with these headers takes most of that alone. It would take headers
  that are checked once and not for each response.
- **The access log (0.97), and all that is seen (0.95).** Without the client's address the server was 3 % faster, without the second
  clock 1 %: both are the runtime's. Without a log, it reads no clock at all. The line and the write cost 4 %, although a line takes only 0.15 µs in a loop. Tried and kept: the time is formatted
  once a millisecond and a target once, and lines are written every fifty milliseconds. Tried without effect: bytes instead of
  strings, fewer concatenations, encoding in small groups. It would take a runtime that gives the address of a client at no
  cost.
- **Durable POST.** A statement inserts sixteen rows, which halved the cost of a batch. A thread commits, and each pet is copied to
  it. The rest is the fsync, and two B-trees for each pet.
- **p99 beside creates (3 ×).** The p99 of a server that only reads is 0.8 milliseconds in some rounds and 2.5 in others. It
  depends on whether long pauses of the garbage collector fall into the slowest hundredth, so the ratio is near 1 or above 3.
  Creates in the memory store, without a disk, give the same ratios: 128 clients share one core. A checkpoint of the
  write-ahead log takes a millisecond, and rarer or smaller checkpoints changed nothing.
- **Walking (0.85).** Each page is made once, so no cache has it, and one client and the server take turns, so each microsecond
  counts. SQLite reads the next page while the client processes this one. The memory store uses web-standard APIs alone, and
  those cannot run code soon after a response: a timer of zero runs after one or two milliseconds, twenty pages too late.

## Limits of these figures

- They do not include a network, TLS, a proxy, slow clients or more than one core for a server.
- They do not compare large bodies, or even requests for a hundred thousand different addresses.
- They do not include a cold disk: the operating system has the files in its cache.
- Other machines differ. An fsync takes from microseconds to many milliseconds, and durable creates depend on it.
- The frameworks could be faster without validation, and slower with a database.
- Differences of a few hundredths mean nothing: runs differ by as much.
`;
