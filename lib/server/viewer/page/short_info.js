/** A plugin for Swagger UI: the page has an introduction of its own, so the description's opens on demand. */
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
