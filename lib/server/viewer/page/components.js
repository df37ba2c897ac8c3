/**
 * The components of Swagger UI that the page replaces, and the key that it keeps over a reload. Each
 * function of {@link COMPONENTS} gets the original component and the system of Swagger UI.
 */

import { indentJson } from "./indent_json.js";

/** The header of the key as Swagger UI quotes it for a shell, and in quotes in which the shell puts the key in. */
const LITERAL = "'Authorization: Bearer $API_KEY'";
const EXPANDED = '"Authorization: Bearer $API_KEY"';

export const COMPONENTS = {
  /** Shows a JSON response with all its digits. Swagger UI itself would round the integers beyond 2^53. */
  responseBody: (ResponseBody, { React, getComponent }) => (props) => {
    const h = React.createElement;
    const json = indentJson(props.content);
    if (json === undefined) return h(ResponseBody, props);
    const code = { language: "json", downloadable: true, fileName: "response.json", canCopy: true };
    return h("div", null, h("h5", null, "Response body"), h(getComponent("HighlightCode", true), code, json));
  },

  /** Shows no key in the command for curl, but the name of a variable that has it. */
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

  /** Hides the key in its field. */
  Input: (Input, { React }) => (props) => {
    const isKey = props.id === "auth-bearer-value";
    return React.createElement(Input, isKey ? { ...props, type: "password", autoComplete: "off" } : props);
  },

  /** Lets the user keep the key over a reload, in the dialog for the key. */
  auths: (Auths, { React, authSelectors }) => (props) => {
    const h = React.createElement;
    return h("div", null, h(Auths, props), h(Keeper, { React, authSelectors }));
  },

  /** Shows which operations are not stable. */
  OperationSummaryPath: (Path, { React, specSelectors }) => (props) => {
    const h = React.createElement;
    const stability = specSelectors.specJson().getIn([...props.specPath, "x-stability"]);
    return h(React.Fragment, null, h(Path, props), stability && h("span", { className: "stability" }, stability));
  },

  /** Shows a failure as a line with its codes, which can be opened. Open, the failures would fill five screens. */
  response: (Response, { React, getComponent }) => {
    const h = React.createElement;

    function Failure(props) {
      const { code, response, className } = props;
      const [isOpen, setOpen] = React.useState(false);
      const summary = h(
        "summary",
        null,
        h("span", { className: "failure-status" }, code),
        h(getComponent("Markdown", true), { source: response.get("description") }),
        codesOf(response).flatMap((name) => [" ", h("code", { key: name }, name)]),
      );
      const onToggle = ({ currentTarget }) => setOpen(currentTarget.open);
      // The rest is made when the line is opened.
      const whole = isOpen && h("table", null, h("tbody", null, h(Response, props)));
      const details = h("details", { onToggle }, summary, whole);
      return h("tr", { className: `failure ${className ?? ""}` }, h("td", { colSpan: 3 }, details));
    }

    return (props) => h(Number(props.code) >= 400 ? Failure : Response, props);
  },

  /** Shows the introduction of the description on demand, because the page has an introduction of its own. */
  InfoContainer: (Info, { React }) => (props) => {
    const h = React.createElement;
    return h("details", { className: "about" }, h("summary", null, "About the API"), h(Info, props));
  },
};

/** The error codes in the examples of a response, each once. */
function codesOf(response) {
  const examples = response.getIn(["content", "application/json", "examples"])?.toJS() ?? {};
  return [...new Set(Object.values(examples).map(({ value }) => value.code))];
}

/** The name of the security scheme in the description. */
const SCHEME = "bearer";

/**
 * The item of the storage that has the key. It exists if the user wants the key to be kept, and is
 * empty while there is none. Its name has the path, because a proxy may serve several petstores.
 * Swagger UI's own `persistAuthorization` would not ask the user, and would leave the key on the
 * machine for good.
 */
const ITEM = `petstore-key ${location.pathname}`;

const storage = findStorage();

/** The storage of this tab, or `undefined` if the settings of the browser forbid it. */
function findStorage() {
  try {
    return globalThis.sessionStorage;
  } catch {
    return undefined;
  }
}

function isWanted() {
  return typeof storage?.getItem(ITEM) === "string";
}

/** The actions of Swagger UI that follow a change of the key. */
export const ACTIONS = {
  authorize: (authorize) => (payload) => {
    if (isWanted()) storage.setItem(ITEM, payload[SCHEME]?.value ?? "");
    return authorize(payload);
  },
  logout: (logout) => (names) => {
    if (isWanted()) storage.setItem(ITEM, "");
    return logout(names);
  },
};

/** The box that asks the user. */
function Keeper({ React, authSelectors }) {
  const [isChecked, setChecked] = React.useState(isWanted());
  if (!storage) return null;
  const onChange = ({ currentTarget: { checked } }) => {
    if (checked) storage.setItem(ITEM, authSelectors.authorized().getIn([SCHEME, "value"]) ?? "");
    else storage.removeItem(ITEM);
    setChecked(checked);
  };
  const box = React.createElement("input", { type: "checkbox", checked: isChecked, onChange });
  const text = "Keep the key until this tab is closed, also over a reload";
  return React.createElement("label", { className: "keeper" }, box, text);
}

/** Applies the key that was kept, if there is one. */
export function restoreKey(ui) {
  const key = storage?.getItem(ITEM);
  if (key) ui.preauthorizeApiKey(SCHEME, key);
}
