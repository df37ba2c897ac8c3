/** What docs/hosts.md says of an app's own things in place of ours. */

import type { Section } from "./sections.ts";

const folder = "tests/hosts/programs";

export const OWN_SECTIONS: readonly Section[] = [
  {
    title: "Your authentication",
    text:
      "`keys` may be a function: it is asked about each request's key, and nothing but `true` lets it in. What it " +
      "throws is answered with 500. It is asked every time, so a session that has ended opens nothing.",
    files: [`${folder}/own_keys.ts`],
    changes: [],
  },
  {
    title: "Your log",
    text:
      "`onError` is told the cause of every 500 and 503. The client never is. Log the path without its query, and no " +
      "headers: the key is among them.",
    files: [`${folder}/own_log.ts`],
    changes: [],
  },
  {
    title: "A store of your own",
    text:
      "This one keeps pets in a file, a line each, and syncs the disk before a create is acknowledged. It is whole: it " +
      "passes the test of the store contract, `Idempotency-Key` included, and starts again after a crash that cut a line. " +
      "It has all pets in memory, and one process may use the file.",
    files: [`${folder}/json_lines_store.ts`, `${folder}/own_store.ts`],
    changes: [],
  },
  {
    title: "A path prefix",
    text: "A router or proxy that takes a prefix away leaves the petstore with other paths than its clients have. " +
      "`basePath` is what the petstore sees, `publicBaseUrl` what links begin with.",
    files: [`${folder}/behind_prefix.ts`],
    changes: [],
  },
  {
    title: "A proxy in front",
    text:
      "Links are relative to the host, so a proxy that keeps the path needs nothing. One that changes it, such as " +
      "nginx with `location /store/v1/ { proxy_pass http://127.0.0.1:8000/v1/; }`, needs the public address. " +
      "`X-Forwarded-Host` and the like are never believed: any client could send them.",
    files: [`${folder}/behind_proxy.ts`],
    changes: [],
  },
];
