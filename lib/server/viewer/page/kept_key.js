/** The name of the security scheme in the description. */
const SCHEME = "bearer";

/** The item of the storage that has the key. Its name has the path, because a proxy may serve several petstores. */
const ITEM = `petstore-key ${globalThis.location?.pathname ?? ""}`;

/** Whether the user wants the key to be kept: the present one, and the next that is applied. */
let isWanted = false;

/**
 * A plugin for Swagger UI: keeps the key over a reload, if the user asks for it. The key is kept for this tab, and is gone when
 * the tab is closed. Swagger UI's own `persistAuthorization` would not ask, and would leave the key on the machine for good.
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

/** Applies the key that was kept, if there is one. */
export function restoreKey(ui) {
  const key = findStorage()?.getItem(ITEM);
  if (!key) return;
  isWanted = true;
  ui.preauthorizeApiKey(SCHEME, key);
}

/** Keeps a key. Without a key, removes the one that was kept. */
function writeKey(key) {
  if (key) findStorage()?.setItem(ITEM, key);
  else findStorage()?.removeItem(ITEM);
}

/** The storage of this tab, or `undefined` if the settings of the browser forbid it. */
function findStorage() {
  try {
    return globalThis.sessionStorage;
  } catch {
    return undefined;
  }
}
