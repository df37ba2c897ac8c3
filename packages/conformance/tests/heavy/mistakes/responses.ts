/** Mistakes about the form of a response: its status, its media type and the body of an error. */

import {
  answers,
  each,
  fieldOf,
  isAny,
  isCreate,
  isGet,
  type Mistake,
  type Mistakes,
  type Pet,
  type Where,
} from "./planting.ts";

/** Answers with another status, which an error names too. */
const status = (from: number, to: number, where: Where = isAny): Mistake =>
  answers((seen) => {
    if (seen.status === from) Object.assign(seen, { status: to, text: seen.text.replace(`:${from}}`, `:${to}}`) });
  }, where);

/** Changes errors of this status, whose requests are of this kind. */
const error = (status: number, change: (error: Pet) => unknown, where: Where = isAny): Mistake =>
  answers((seen) => {
    if (seen.status === status && seen.text !== "") seen.text = JSON.stringify(change(JSON.parse(seen.text)));
  }, where);

const ERRORS: Record<string, (error: Pet) => unknown> = {
  "has no code": ({ code: _, ...error }) => error,
  "has another status": (error) => ({ ...error, status: 500 }),
};

const STATUSES = [400, 401, 404];
const hasPage: Where = ({ url }) => url.includes("status=");
const isBasic: Where = (request) => fieldOf(request, "authorization").startsWith("Basic");
const isNegative: Where = ({ url }) => /\/pets\/-\d/.test(url);

export const RESPONSE_MISTAKES: Mistakes = {
  "create answers 422 to a pet that is not valid": status(400, 422, isCreate),
  "get answers 400 to an id that no pet has": status(404, 400, isGet),
  "get answers 500 to negative ids": status(404, 500, isNegative),
  "errors are HTML": answers(({ status, headers }) => status >= 400 && headers.set("content-type", "text/html")),
  "sends text for a pet": answers(({ headers }) => headers.set("content-type", "text/plain"), isGet),
  ...Object.fromEntries(
    Object.entries(ERRORS).map((
      [what, change],
      i,
    ) => [`${what} in a ${STATUSES[i % 3]}`, error(STATUSES[i % 3]!, change)]),
  ),
  ...each({
    "has an empty body with a 400": 400,
    "has an empty body with a 404": 404,
  }, (from) => answers((seen) => seen.status === from && (seen.text = ""))),
  "sends another error without a key beside a status": error(401, () => "no key", hasPage),
  "sends another error for Basic": error(401, () => ({ error: "unauthorized" }), isBasic),
};
