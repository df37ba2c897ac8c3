import { serverOpenApiOf } from "../../support/descriptions.ts";
import type { ModelSettings } from "./model.ts";

export const KEY = "pk_fuzz";

/** Small, so that bodies around the limit are cheap. Every valid name fits, however escaped. */
export const MAX_BODY_BYTES = 4096;

/** Of the standalone server, which has no setting for the largest body. */
export const STANDALONE: ModelSettings = {
  key: KEY,
  maxBodyBytes: 1024 * 1024,
  open: {
    "/livez": { json: '{"status":"ok"}', isTagged: false },
    "/readyz": { json: '{"status":"ok"}', isTagged: false },
    "/openapi.json": { json: JSON.stringify(serverOpenApiOf()), isTagged: true },
  },
};
