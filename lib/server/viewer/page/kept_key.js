/** The security scheme of the description. */
const SCHEME = "bearer";

/** With the path, because a proxy may serve several petstores. */
const ITEM = `petstore-key ${globalThis.location?.pathname ?? ""}`;

/** Whether to keep the key that is applied next. */
let isWanted = false;

/**
 * A plugin for Swagger UI: keeps the key over a reload, if the user asks for it. It is kept for this tab and ends with it.
 * Swagger UI's own `persistAuthorization` would ask nothing, and leave the key on the machine for good.
 */
export function KeptKey() {
  return {
    statePlugins: {
      auth: {
        wrapActions: {
          authorize: (authorize) => (payload) => {
            if (isWanted) writeKey(payload[SCHEME]?.value);
            return authorize(payload);
          },
          logout: (logout) => (names) => {
            writeKey(undefined);
            return logout(names);
          },
        },
      },
    },
    wrapComponents: {
      auths: (Auths, { React, authSelectors }) => {
        const h = React.createElement;

        function Keeper() {
          const [isChecked, setChecked] = React.useState(isWanted);
          const onChange = ({ currentTarget }) => {
            isWanted = currentTarget.checked;
            writeKey(isWanted ? authSelectors.authorized().getIn([SCHEME, "value"]) : undefined);
            setChecked(isWanted);
          };
          const box = h("input", { type: "checkbox", checked: isChecked, onChange });
          return h("label", { className: "keeper" }, box, "Keep the key until this tab is closed, also over a reload");
        }

        return (props) =>
          h(
            "div",
            null,
            h("p", { className: "key-place" }, globalThis.document.getElementById("key-place").textContent),
            h(Auths, props),
            findStorage() && h(Keeper),
          );
      },
    },
  };
}

/** Applies the key that was kept. */
export function restoreKey(ui) {
  const key = findStorage()?.getItem(ITEM);
  if (!key) return;
  isWanted = true;
  ui.preauthorizeApiKey(SCHEME, key);
}

function writeKey(key) {
  if (key) findStorage()?.setItem(ITEM, key);
  else findStorage()?.removeItem(ITEM);
}

/** `undefined` if the browser's settings forbid it. */
function findStorage() {
  try {
    return globalThis.sessionStorage;
  } catch {
    return undefined;
  }
}
