import { serverOpenApiOf } from "../support/descriptions.ts";
import { createResponseValidator } from "../support/openapi_validator.ts";
import type { AnyServer } from "../support/server/in_process.ts";

const LIMIT = { requests: 5, windowMs: 3_600_000 };
const validate = createResponseValidator(serverOpenApiOf({ requestIds: "failures", rateLimit: LIMIT }), "/v1");

/**
 * Sends requests to a server with the limit 5/1h, each on a connection of its own, so that every worker gets some. Checks each
 * response against the description.
 */
export async function limitedStatuses(
  { origin }: Pick<AnyServer, "origin">,
  count: number,
  key: string,
  client = "",
): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) {
    const headers = { authorization: `Bearer ${key}`, "x-real-ip": client, connection: "close" };
    const response = await fetch(`${origin}/v1/pets`, { headers });
    validate("GET", "/v1/pets", { status: response.status, headers: response.headers, text: await response.text() });
    statuses.push(response.status);
  }
  return statuses;
}
