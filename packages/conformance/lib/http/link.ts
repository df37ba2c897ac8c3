import type { SeenResponse } from "./api.ts";

/** The target of the first link with this relation, which may be relative. */
export function linkTo({ headers }: Pick<SeenResponse, "headers">, relation: string): string | undefined {
  for (const link of (headers.get("link") ?? "").split(/,\s*(?=<)/)) {
    const [, target] = /^<([^>]*)>/.exec(link) ?? [];
    const [, relations = ""] = /;\s*rel\s*=\s*"?([^";]*)/i.exec(link) ?? [];
    if (relations.toLowerCase().split(" ").includes(relation)) return target;
  }
  return undefined;
}
