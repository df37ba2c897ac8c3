/**
 * Texts that only people read do not count: those that the OpenAPI document has as a `description` or a `summary`. A test could
 * notice another wording only by repeating it. The messages of errors count, since a client shows them.
 */

import type { NodePath } from "@stryker-mutator/api/ignore";
import { declareValuePlugin, PluginKind } from "@stryker-mutator/api/plugin";

/** What Babel says of a place in the code. */
interface Place {
  node: { type: string; operator?: string; key?: { name?: string } };
  parentPath: Place | null;
}

function shouldIgnore(path: NodePath): string | undefined {
  const { node, parentPath } = path as Place;
  if (!/^(String|Template)Literal$/.test(node.type)) return undefined;
  let whole = parentPath;
  while (isPart(whole)) whole = whole!.parentPath;
  const { type, key } = whole?.node ?? {};
  return type === "ObjectProperty" && /^(description|summary)$/.test(key?.name ?? "") ? "Prose" : undefined;
}

/** Whether texts are added there, or one is chosen. */
function isPart(place: Place | null): boolean {
  const { type, operator } = place?.node ?? {};
  return type === "ConditionalExpression" || (type === "BinaryExpression" && operator === "+");
}

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, "prose", { shouldIgnore })];
