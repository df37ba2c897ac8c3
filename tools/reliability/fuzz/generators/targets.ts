import fc from "fast-check";
import { OPERATIONS } from "../../../../lib/operations/table.ts";
import { weighted } from "./weighted.ts";

/** Ids that no pet has, or that mean another one in other servers. */
const ODD_IDS = ["0", "01", "1.5", "-1", "1e0", "1%20", "%31", "9223372036854775808", "1".repeat(40), "%EF%BC%91"]
  .concat("constructor", "{id}'or'1'='1", "%zz", "..", "a%2Fb", "é", "%");

const ID = weighted([5, ["{id}"]], [5, fc.nat({ max: 12 }).map(String)], [4, ODD_IDS]);

const ODD_PATHS = ["/V1/pets", "/v2/pets", "/pets", "/v1/store%2Forders", "/v1/p%65ts", "/v1/pets/1/", "//v1/pets"]
  .concat("/v1/%", "/livez", "/v1/pets;a=b", "/v1\\pets", `/v1/pets/${"1".repeat(9000)}`);

/** Makes paths of a template, with all kinds of parameters. */
export function pathOf(template: string): fc.Arbitrary<string> {
  return ID.map((id) => `/v1${template.replace(/\{\w+\}/, () => id)}`);
}

const OPERATION_PATH: fc.Arbitrary<string> = fc.oneof(
  ...new Set(OPERATIONS.map(({ path }) => path)).values().map(pathOf),
);

export const PATH: fc.Arbitrary<string> = weighted([10, OPERATION_PATH], [2, ODD_PATHS]);

/** A cursor in today's form, which is opaque to clients. */
const forge = (text: string): string => btoa(text).replaceAll("=", "").replaceAll("+", "-").replaceAll("/", "_");
const FORGED = ["0", "-0", "1", "2", "05", "-1", "1.5", "", " 1", "1 ", "0x1", "9223372036854775807"]
  .concat("9223372036854775808", "-9223372036854775809").map((id) => forge(`after:${id}`));

const LIMIT = weighted(
  [6, fc.integer({ min: 1, max: 6 }).map(String)],
  [2, fc.integer({ min: 0, max: 102 }).map(String)],
  [2, ["", "-1", "1.5", "1e1", "+5", "%2B5", "005", "5%20", "%35", "%D9%A3", "abc", "0x5"]],
  [1, ["99999999999999999999", "1%00", "%zz", "٣", "5'", "100", "101", "1,2", "NaN"]],
);
const STATUS = weighted(
  [6, ["available", "pending", "sold"]],
  [2, ["", "Sold", "sold+", "%73old", "sold,pending", "null", "lost", "sold%00"]],
);
const CURSOR = weighted(
  [8, ["{next}"]],
  [2, FORGED],
  [
    2,
    fc.constantFrom("{next}=", "{next}%3D%3D", "{next}A", "x{next}", "", "abc", "{next}+", "%F0%9F", "%00", "=")
      .map(String),
  ],
  [1, fc.string({ maxLength: 40 }).map(encodeURIComponent)],
);

function parameter(names: string[], values: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const name = weighted([12, fc.constant(names[0]!)], [1, names]);
  return fc.tuple(name, values).map(([name, value]) => `${name}=${value}`);
}

const PARAMETER = weighted(
  [5, parameter(["limit", "%6cimit", "LIMIT", "limit%20", "limit[]"], LIMIT)],
  [3, parameter(["status", "statu%73", "Status", "+status"], STATUS)],
  [3, parameter(["cursor", "%63ursor", "cursor%00"], CURSOR)],
  [1, ["", "=", "limit", "a=b", "__proto__=1", "constructor=2", "?limit=3", "limit=5;status=x"]],
);

export const QUERY: fc.Arbitrary<string> = fc.array(PARAMETER, { maxLength: 4 }).map((parameters) =>
  parameters.length === 0 ? "" : `?${parameters.join("&")}`
);

export const RIGHT_QUERY: fc.Arbitrary<string> = fc.tuple(
  fc.option(fc.integer({ min: 1, max: 6 })),
  fc.option(fc.constantFrom("available", "pending", "sold")),
  fc.option(fc.constant("{next}"), { freq: 2 }),
).map(([limit, status, cursor]) => {
  const given = Object.entries({ limit, status, cursor }).filter(([, value]) => value !== null);
  return given.length === 0 ? "" : `?${given.map(([name, value]) => `${name}=${value}`).join("&")}`;
});
