/**
 * Keeps the key over a reload, if the user asks for it. The key is kept for this tab, and is gone
 * when the tab is closed. Swagger UI's own `persistAuthorization` would not ask, and would leave
 * the key on the machine for good.
 */

/** The name of the security scheme in the description. */
const SCHEME = "bearer";

/**
 * The item of the storage that has the key. It exists if the user wants the key to be kept, and is
 * empty while there is none. Its name has the path, because a proxy may serve several petstores.
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
export function Keeper({ React, authSelectors }) {
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
