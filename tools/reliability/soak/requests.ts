import { get, HOST, MIB, post } from "../../../tests/support/http/requests.ts";
import { createOnDemand, createRequest } from "../shared/requests.ts";
import { drawPet } from "../shared/pets.ts";
import type { Random } from "../../../tests/support/random.ts";

export interface SoakRequest {
  request: string;
  /** The body, if the request expects 100 Continue. */
  body?: string;
  statuses: readonly number[];
  /** A part of the expected body. */
  text?: string;
}

const UNKNOWN_KEY = `${HOST}Authorization: Bearer pk_unknown_0123456789abcdef\r\n`;

/** A megabyte and a little, which is more than a body may have. */
const TOO_LARGE = `{"name":"${"x".repeat(MIB)}","categoryId":1}`;

const REFUSALS: readonly SoakRequest[] = [
  refused(get("/v1/pets", HOST), 401, "missing_api_key"),
  refused(get("/v1/pets", UNKNOWN_KEY), 401, "invalid_api_key"),
  refused(get("/v1/cats"), 404, "route_not_found"),
  refused(get("/v1/pets/9007199254740991"), 404, "pet_not_found"),
  refused(get("/v1/pets?limit=101"), 400, "invalid_limit"),
  refused(get("/v1/pets?status=lost"), 400, "invalid_status"),
  refused(get("/v1/pets?cursor=abc"), 400, "invalid_cursor"),
  refused(get("/v1/store/orders"), 501, "not_implemented"),
  refused(get("/v1/pets").replace("GET", "DELETE"), 405, "method_not_allowed"),
  refused(post("{"), 400, "invalid_json"),
  refused(post('{"name":"","categoryId":"7"}'), 400, "invalid_pet"),
  refused(post('{"name":"Rex","categoryId":9223372036854775808}'), 400, "invalid_pet"),
];

/** Rare, for it costs the server as much as hundreds of others. */
const REFUSED_LATE = refused(post(TOO_LARGE), 413, "body_too_large");

export const STATUSES = ["available", "pending", "sold"];

/** Draws a request: of twenty eleven read, five create and four are refused. `tag` makes the pet unlike others. */
export function drawRequest(random: Random, tag: string): SoakRequest {
  const choice = random.below(20);
  // The load begins with three pets, one of each status.
  if (choice < 8) {
    const target = `/v1/pets?limit=${1 + random.below(100)}&status=${random.pick(STATUSES)}`;
    return { request: get(target), statuses: [200], text: '"id":' };
  }
  if (choice < 11) return { request: get(`/v1/pets/${1 + random.below(3)}`), statuses: [200] };
  if (choice < 16) return drawCreate(random, tag);
  return random.oneIn(1000) ? REFUSED_LATE : random.pick(REFUSALS);
}

function drawCreate(random: Random, tag: string): SoakRequest {
  const pet = drawPet(random, tag);
  const expected = { statuses: [201], text: '{"id":' };
  if (random.oneIn(64)) {
    const [request, body] = createOnDemand(pet);
    return { request, body, ...expected };
  }
  return { request: random.oneIn(2) ? createRequest(pet) : post(pet.body), ...expected };
}

function refused(request: string, status: number, code: string): SoakRequest {
  return { request, statuses: [status], text: `"code":"${code}"` };
}
