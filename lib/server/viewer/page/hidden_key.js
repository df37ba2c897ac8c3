/** The header of the key as Swagger UI quotes it for a shell, and in quotes in which the shell puts the key in. */
const LITERAL = "'Authorization: Bearer $API_KEY'";
const EXPANDED = '"Authorization: Bearer $API_KEY"';

/** A plugin for Swagger UI: no key can be read from the screen, neither in its field nor in the command for curl. */
export function HiddenKey() {
  return {
    wrapComponents: {
      curl: (_Curl, { React, fn, getComponent }) => ({ request }) => {
        const h = React.createElement;
        const hasKey = request.hasIn(["headers", "Authorization"]);
        const shown = hasKey ? request.setIn(["headers", "Authorization"], "Bearer $API_KEY") : request;
        // A function gives the replacement, because `$` has a meaning in a text.
        const command = fn.requestSnippetGenerator_curl_bash(shown).replace(LITERAL, () => EXPANDED);
        return h(
          "div",
          { className: "curl-command" },
          h("h4", null, hasKey ? "Curl, with the key in the variable API_KEY of the shell" : "Curl"),
          h(getComponent("HighlightCode", true), { language: "bash", canCopy: true }, command),
        );
      },
      Input: (Input, { React }) => (props) => {
        const isKey = props.id === "auth-bearer-value";
        return React.createElement(Input, isKey ? { ...props, type: "password", autoComplete: "off" } : props);
      },
    },
  };
}
