/** A plugin for Swagger UI: shows a failure as a line with its codes, which can be opened. Open, the failures would fill five screens. */
export function ShortFailures() {
  return {
    wrapComponents: {
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
    },
  };
}

/** The error codes in the examples of a response, each once. */
function codesOf(response) {
  const examples = response.getIn(["content", "application/json", "examples"])?.toJS() ?? {};
  return [...new Set(Object.values(examples).map(({ value }) => value.code))];
}
