/** The cases of the HTTP contract that a host can break, through the nginx of docs/nginx.conf. Clients see no difference except those named here. */

import { HTTP_CONTRACT } from "../../support/contract/all.ts";
import { type Handle, type Host, withApi } from "../../support/api.ts";
import { UNLIMITED, whyNoNginx, withNginx } from "../../support/nginx/nginx.ts";
import { withoutServer } from "../../support/nginx/proxy_responses.ts";
import { withTempFolder } from "../../support/temp.ts";
import { testUnless } from "../../support/system/commands.ts";
import { withDenoServe } from "../../support/http/deno_serve.ts";

/** Cases in which nginx answers itself; requests_test.ts and slow_clients_test.ts check its responses. */
const ANSWERED_BY_NGINX: ReadonlyMap<RegExp, string> = new Map([
  [/^answers 408 to a body that stalls/, "nginx closes the connection without a response"],
  [/^answers 404 pet_not_found to every petId/, "nginx answers 400 to a path that does not decode"],
  [/^answers 404 route_not_found to every path/, "nginx answers 400 to a path that does not decode"],
  [/^finds a pet by its whole id alone/, "nginx answers 400 to a path with %00"],
  [/^answers 405 with Allow to a method that HTTP does not have/, "nginx answers 400 to a method in lower case"],
]);

/** withApi() holds its responses against the description. */
const transport: Handle = fetch;

const send: Handle = async (request) => {
  const { status, headers, body } = await transport(request);
  return new Response(body, { status, headers: withoutServer({ status, headers, text: "" }).headers });
};

testUnless(whyNoNginx())("through nginx, the petstore keeps the HTTP contract", async (t) => {
  // One nginx for all cases leads to the petstore of the present one.
  let current: Handle = () => Promise.reject(new Error("No case is running"));
  await withDenoServe(
    (request) => current(request),
    (port) =>
      withTempFolder((folder) =>
        withNginx(folder, port, UNLIMITED, async ({ origin }) => {
          const host: Host = {
            name: "nginx",
            use(handle, run) {
              current = handle;
              return run(origin, send);
            },
          };
          for (const { name, options, dependsOn = [], run } of HTTP_CONTRACT) {
            if (!dependsOn.includes("host")) continue;
            const [, skip = false] = [...ANSWERED_BY_NGINX].find(([pattern]) => pattern.test(name)) ?? [];
            await t.test(
              `the petstore ${name}${skip ? ` (skipped: ${skip})` : ""}`,
              { skip },
              () => withApi(host, { ...options }, run),
            );
          }
        })
      ),
  );
});
