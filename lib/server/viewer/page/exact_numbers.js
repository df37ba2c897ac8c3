import { indentJson } from "./indent_json.js";

/** A plugin for Swagger UI: shows a JSON response with all its digits. Swagger UI itself would round the integers beyond 2^53. */
export function ExactNumbers() {
  return {
    wrapComponents: {
      responseBody: (ResponseBody, { React, getComponent }) => (props) => {
        const { content } = props;
        if (!isJson(content)) return React.createElement(ResponseBody, props);
        const code = { language: "json", downloadable: true, fileName: "response.json", canCopy: true };
        return React.createElement(
          "div",
          null,
          React.createElement("h5", null, "Response body"),
          React.createElement(getComponent("HighlightCode", true), code, indentJson(content)),
        );
      },
    },
  };
}

function isJson(text) {
  try {
    return typeof text === "string" && JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}
