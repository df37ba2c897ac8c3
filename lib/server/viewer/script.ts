/** What makes Swagger UI show numbers as the server has sent them. */

/**
 * JSON text as `JSON.stringify(…, null, 2)` would lay it out, but with every number and string as it was written: to parse
 * it would round what is beyond 2^53. Runs in the page, so it uses nothing from outside.
 */
export function indentJson(json: string): string {
  let depth = 0;
  const newLine = () => "\n" + "  ".repeat(depth);
  return json.replace(/"(?:[^"\\]|\\[^])*"?|\[\s*\]|\{\s*\}|\s+|[[\]{},:]/g, (token) => {
    if (token.startsWith('"')) return token;
    if (token.length > 1 || token.trim() === "") return token.replace(/\s+/g, "");
    if (token === ":") return ": ";
    if (token === ",") return "," + newLine();
    depth += token === "[" || token === "{" ? 1 : -1;
    return token === "[" || token === "{" ? token + newLine() : newLine() + token;
  });
}

/**
 * The script of the page. The plugin takes the place of the component that shows a response's body, for JSON alone
 * (Swagger UI's "wrapComponents"); what is sent is the text of the field and needs no help.
 */
export const VIEWER_SCRIPT = `"use strict";
${indentJson}

function isJson(text) {
  try {
    return typeof text === "string" && JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

function ExactNumbers() {
  return {
    wrapComponents: {
      responseBody: (ResponseBody, { React, getComponent }) => (props) => {
        if (!isJson(props.content)) return React.createElement(ResponseBody, props);
        const code = { language: "json", downloadable: true, fileName: "response.json", canCopy: true };
        return React.createElement(
          "div",
          null,
          React.createElement("h5", null, "Response body"),
          React.createElement(getComponent("HighlightCode", true), code, indentJson(props.content)),
        );
      },
    },
  };
}

SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#viewer",
  plugins: [ExactNumbers],
  tryItOutEnabled: true,
  deepLinking: true,
  // It would ask another host.
  validatorUrl: null,
});
`;
