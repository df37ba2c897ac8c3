/** The browser of Debian's package, as playwright starts it. */

import { existsSync } from "node:fs";

const PATH = "/usr/bin/chromium";

/** Why no browser can run here, or `false`. */
export const NO_CHROMIUM: string | false = existsSync(PATH) ? false : `there is no ${PATH}: apt-get install chromium`;

// Chromium has no sandbox for root. The other flags stop the browser's own requests.
const ARGS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

export const CHROMIUM: { executablePath: string; args: string[] } = { executablePath: PATH, args: ARGS.split(" ") };
