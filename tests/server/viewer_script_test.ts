import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { indentJson } from "../../lib/server/viewer/page/indent_json.js";
import { packPage } from "../../tools/viewer/package.ts";

test("indentJson() lays JSON out as JSON.stringify() does, whatever the layout was before", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom("", " ", "\t", "\n  "), (value, space) => {
      assert.equal(indentJson(JSON.stringify(value, null, space)), JSON.stringify(value, null, 2));
    }),
    { numRuns: 500 },
  );
});

test("indentJson() leaves numbers and strings as they are written", () => {
  const json = String
    .raw`{"id":9223372036854775807,"is":[-9223372036854775807,1.0,1e3],"a\"[,:] ":"é \\","e":[ ],"o":{ }}`;
  const lines = [
    "{",
    '  "id": 9223372036854775807,',
    '  "is": [',
    "    -9223372036854775807,",
    "    1.0,",
    "    1e3",
    "  ],",
    String.raw`  "a\"[,:] ": "é \\",`,
    '  "e": [],',
    '  "o": {}',
    "}",
  ];
  assert.equal(indentJson(json), lines.join("\n"));
});

/** An element of the page, as Swagger UI's React would get it. */
interface Element {
  type: unknown;
  props: unknown;
  children: unknown[];
}

type Component = (props: { content: unknown }) => Element;

interface ViewerOptions {
  url: string;
  validatorUrl: unknown;
  persistAuthorization?: unknown;
  plugins: (() => { wrapComponents: { responseBody?: (original: string, system: unknown) => Component } })[];
}

async function viewerOptions(): Promise<ViewerOptions> {
  const calls: ViewerOptions[] = [];
  const page = globalThis as { SwaggerUIBundle?: (options: ViewerOptions) => void };
  page.SwaggerUIBundle = (options) => calls.push(options);
  await import("../../lib/server/viewer/page/viewer.js");
  delete page.SwaggerUIBundle;
  assert.equal(calls.length, 1);
  return calls[0]!;
}

test("the page's script shows the server's own description, with JSON responses as they were sent", async () => {
  const { url, validatorUrl, persistAuthorization, plugins } = await viewerOptions();
  assert.deepEqual([url, validatorUrl, persistAuthorization], ["openapi.json", null, undefined]);
  const React = {
    createElement: (type: unknown, props: unknown, ...children: unknown[]) => ({ type, props, children }),
  };
  const system = { React, getComponent: (name: string) => name };
  const [wrapped, ...others] = plugins.flatMap((plugin) =>
    plugin().wrapComponents.responseBody?.("original", system) ?? []
  );
  assert.ok(wrapped && others.length === 0);
  const shown = wrapped({ content: '{"id":9223372036854775807}' });
  const code = shown.children.find((child) => (child as Element).type === "HighlightCode") as Element;
  assert.deepEqual(code.children, ['{\n  "id": 9223372036854775807\n}']);
  for (const content of ["", "no JSON", undefined]) {
    assert.deepEqual(wrapped({ content }), { type: "original", props: { content }, children: [] });
  }
});

test("the server's copy of the page's scripts is up to date", async () => {
  const copy = await Deno.readTextFile(new URL("../../lib/server/viewer/page.json", import.meta.url));
  assert.ok(copy === packPage(), "run deno task viewer");
});
