import type { SeenResponse } from "../../../tests/support/openapi_validator.ts";
import { FORETOLD_HEADERS, type Prediction, SOME_TAG } from "./prediction.ts";

/**
 * Lists the differences of a response from its prediction, a line each. It learns the entity tag of a content that had
 * none.
 */
export function findDifferences(method: string, foretold: Prediction, seen: SeenResponse, tags: EntityTags): string[] {
  const { status, headers, text } = seen;
  if (!foretold.status.includes(status)) {
    return [`the status is ${status}, foretold was ${foretold.status.join(" or ")} ${foretold.code ?? ""}: ${text}`];
  }
  const isBodiless = status === 204 || status === 304;
  // Where 200 and 304 are both right, only 200 describes a body.
  const { "content-type": type, "x-content-type-options": sniffing, ...others } = foretold.headers;
  const expected: Record<string, string | undefined> = isBodiless
    ? others
    : { ...others, "content-type": type, "x-content-type-options": sniffing };
  const found = FORETOLD_HEADERS.flatMap((name) => compareHeader(name, expected[name], headers.get(name)));
  if (isBodiless || method === "HEAD") {
    if (text !== "") found.push(`there is a body: ${text}`);
    found.push(...compareLength(isBodiless ? undefined : foretold.body, headers.get("content-length")));
  } else if (foretold.code !== undefined) {
    const { code } = JSON.parse(text);
    if (code !== foretold.code) found.push(`the code is ${code}, foretold was ${foretold.code}`);
  } else if (text !== foretold.body) {
    found.push(`the body is ${text}, foretold was ${foretold.body}`);
  }
  const tag = headers.get("etag");
  const fault = foretold.representation === undefined || tag === null
    ? undefined
    : tags.learn(foretold.representation, tag);
  return fault === undefined ? found : [...found, fault];
}

function compareHeader(name: string, expected: string | undefined, seen: string | null): string[] {
  const isRight = expected === SOME_TAG ? seen !== null && /^W\/"[^"]+"$/.test(seen) : seen === (expected ?? null);
  return isRight ? [] : [`${name} is ${seen ?? "absent"}, foretold was ${expected ?? "none"}`];
}

/** A Content-Length in the response to HEAD must be right (RFC 9110 §8.6). */
function compareLength(body: string | undefined, length: string | null): string[] {
  if (body === undefined || length === null) return [];
  const expected = new TextEncoder().encode(body).length;
  return Number(length) === expected ? [] : [`content-length is ${length}, foretold was ${expected}`];
}

/** Lists the differences between the responses of two stores, apart from `date`. */
export function findDisagreement(one: SeenResponse, other: SeenResponse): string[] {
  const [first, second] = [one, other].map(({ status, headers, text }) =>
    [status, ...[...headers].filter(([name]) => name !== "date").map((header) => header.join(": ")), text].join("\n")
  );
  return first === second ? [] : [`the stores disagree:\n${first}\n—\n${second}`];
}

/** Entity tags by content. Each content must have one tag, and each tag one content. They hold for all petstores. */
export class EntityTags {
  readonly #byContent = new Map<string, string>();
  readonly #byTag = new Map<string, string>();

  find(content: string): string | undefined {
    return this.#byContent.get(content);
  }

  /** Records a content's tag and returns what is wrong with it. */
  learn(content: string, tag: string): string | undefined {
    const known = this.#byContent.get(content);
    if (known !== undefined && known !== tag) return `the same content has two entity tags, ${known} and ${tag}`;
    if ((this.#byTag.get(tag) ?? content) !== content) return `the entity tag ${tag} stands for two contents`;
    this.#byContent.set(content, tag);
    this.#byTag.set(tag, content);
    return undefined;
  }
}
