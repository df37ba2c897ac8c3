/** A plugin for Swagger UI: shows the introduction of the description on demand, because the page has an introduction of its own. */
export function ShortInfo() {
  return {
    wrapComponents: {
      InfoContainer: (Info, { React }) => (props) =>
        React.createElement(
          "details",
          { className: "about" },
          React.createElement("summary", null, "About the API"),
          React.createElement(Info, props),
        ),
    },
  };
}
