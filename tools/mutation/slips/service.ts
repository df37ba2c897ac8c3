import { type Slip, slipsOf } from "./slip.ts";

const HTTP = "unit/pipeline unit/routing unit/response_cache unit/conditional unit/body unit/deadlines security/cors " +
  "security/failing_callbacks server/attribution published";

export const SERVICE: Slip[] = [
  ...slipsOf("http", HTTP, [
    [
      "a kept response is observed with its route",
      "pipeline.ts",
      "        context.route = kept.route;\n",
      "",
    ],
    [
      "a condition is checked before an alteration, not after it",
      "pipeline.ts",
      "if (failedCondition(context, etag)) return PRECONDITION_FAILED;\n",
      "",
    ],
    [
      "HEAD is conditional too",
      "finisher.ts",
      'if (method === "GET" || method === "HEAD") reply = conditionalReply',
      'if (method === "GET") reply = conditionalReply',
    ],
    [
      "an observer gets the reply with its request id",
      "finisher.ts",
      "      reply = identify(reply, context);\n",
      "",
    ],
    [
      "onError gets the request id that the response has",
      "recovery.ts",
      "const requestId = requestIdOf(context);",
      "const requestId = crypto.randomUUID();",
    ],
    [
      "an X-Request-Id of up to 128 characters is kept",
      "request_id.ts",
      "given.length <= MAX_REQUEST_ID",
      "given.length < MAX_REQUEST_ID",
    ],
    [
      "a response that was made while a pet was added is not kept as current",
      "response_cache.ts",
      `      const made = { ...changes() };
      return chain(make(), (reply) => {`,
      `      return chain(make(), (reply) => {
        const made = { ...changes() };`,
    ],
    [
      "the last page is not kept when a pet is added",
      "response_cache.ts",
      'made.additions !== additions && reply.validUntil === "addition"',
      'made.additions !== additions && reply.validUntil === "alteration"',
    ],
    [
      "caches tell responses to different origins apart",
      "cors.ts",
      'toOrigins.get(context.header("origin") ?? "") ?? VARY',
      'toOrigins.get(context.header("origin") ?? "") ?? {}',
    ],
    [
      "If-Match compares strongly",
      "conditional.ts",
      "if (wanted !== null && !lists(wanted)) return 412;",
      'if (wanted !== null && !lists(wanted) && !lists(wanted, "W/")) return 412;',
    ],
  ]),
  ...slipsOf("hosts", "unit/node_listener unit/node_http2 unit/client_address sockets/head sockets/body published", [
    [
      "the signal of a request aborts when the client leaves, and not after a whole response",
      "node_context.ts",
      "const abort = () => hasLeft(outgoing) && gone?.abort();",
      "const abort = () => gone?.abort();",
    ],
    [
      "a body that is shorter than its Content-Length breaks the connection off",
      "node_reply.ts",
      "if (length !== undefined && sent !== Number(length)) breakOff(outgoing);",
      "if (length !== undefined && sent > Number(length)) breakOff(outgoing);",
    ],
    [
      "the environment of a Worker tells no address",
      "fetch.ts",
      "worker === undefined ? info : undefined",
      "info",
    ],
    [
      "an absolute target overrides the Host header",
      "node_request.ts",
      "const origin = isAbsolute ? new URL(target).origin : originOf(incoming);",
      "const origin = originOf(incoming);",
    ],
  ]),
  ...slipsOf("operations", "unit/cursor unit/described_values published contract/writes", [
    [
      "callers do not share Idempotency-Keys",
      "create_pet.ts",
      "scopedKey(caller.id, idempotencyKey)",
      'scopedKey("", idempotencyKey)',
    ],
    [
      "a repeated create says that it is one",
      "create_pet.ts",
      '  if (result.outcome === "created") return reply;\n',
      '  if (result.outcome !== "created") return reply;\n',
    ],
    [
      "the link to the next page has the filter",
      "list_pets.ts",
      "?limit=${limit}${filter}&cursor=",
      "?limit=${limit}&cursor=",
    ],
    [
      "a pet that is missing may exist after an addition",
      "get_pet.ts",
      'validUntil: "addition" }',
      'validUntil: "alteration" }',
    ],
    [
      "the Deprecation is announced with the day since when",
      "definition.ts",
      "+since / 1000",
      "+since",
    ],
  ]),
  ...slipsOf("petstore", "unit/options server/attribution published", [
    [
      "a client is told that its pet may have been stored",
      "service.ts",
      "thrown.mayBeStored ? MAY_BE_STORED : STORE_UNAVAILABLE",
      "STORE_UNAVAILABLE",
    ],
  ]),
  ...slipsOf("openapi", "unit/description unit/described_values", [
    [
      "the description tells how far an operation can be relied on",
      "operations.ts",
      "    ...renderStability(contract.stability[definition.id]),\n",
      "",
    ],
  ]),
  ...slipsOf(
    "client",
    "unit/client unit/client_retry unit/client_response unit/client_link unit/client_hostile unit/client_network",
    [
      [
        "Retry-After is in seconds, and the client waits in milliseconds",
        "request.ts",
        "return 1000 * Number(value);",
        "return Number(value);",
      ],
      [
        "the start of a deprecation is told in seconds",
        "deprecation.ts",
        "toDate(1000 * Number(value.slice(1)))",
        "toDate(Number(value.slice(1)))",
      ],
      [
        "an earlier attempt that may have stored a pet is the cause of the last failure",
        "retry.ts",
        "        if (doubtful) error.cause ??= doubtful;\n",
        "",
      ],
      [
        "a write with no key of its own is sent once",
        "call.ts",
        "maxRetries: isOnce ? 0 : maxRetries",
        "maxRetries",
      ],
      [
        "an error has the id by which the operator finds the request",
        "request.ts",
        '      requestId: hide(response?.headers.get("x-request-id") ?? "") || undefined,\n',
        "",
      ],
      [
        "the client follows no link to another host with the key",
        "pet_list.ts",
        "if (url && /\\/pets\\/?$/.test(url.pathname)) return url.search;",
        "if (url) return url.search;",
      ],
    ],
  ),
];
