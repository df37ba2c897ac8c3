/** A plugin for Swagger UI: shows the name of a group in place of its tag, and which operations are not stable. */
export function Labels() {
  return {
    wrapComponents: {
      DeepLink: (DeepLink, { React, specSelectors }) => (props) => {
        const tag = specSelectors.specJson().get("tags")?.find((each) => each.get("name") === props.text);
        return React.createElement(DeepLink, { ...props, text: tag?.get("x-displayName") ?? props.text });
      },
      OperationSummaryPath: (Path, { React, specSelectors }) => (props) => {
        const h = React.createElement;
        const stability = specSelectors.specJson().getIn([...props.specPath, "x-stability"]);
        return h(React.Fragment, null, h(Path, props), stability && h("span", { className: "stability" }, stability));
      },
    },
  };
}
