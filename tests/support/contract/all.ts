/** The HTTP contract: the published cases, and those that need options, or that only this library keeps. */

import type { PetstoreOptions } from "../../../mod.ts";
import { HTTP_CASES } from "../../../packages/conformance/lib/http/all.ts";
import type { HttpCase } from "../../../packages/conformance/lib/http/case.ts";
import { OWN_BODY_CASES } from "./bodies.ts";
import { CALLBACK_CASES } from "./callbacks.ts";
import { CALLER_CASES } from "./callers.ts";
import { OWN_CORS_CASES } from "./cors.ts";
import { MESSAGE_CASES } from "./messages.ts";
import { OPTION_CASES } from "./options.ts";

/** A case that only this library's own petstore must pass, with the options that it needs. */
export interface OwnCase extends Pick<HttpCase, "name" | "run"> {
  options?: Partial<PetstoreOptions>;
  /**
   * Whether the petstore must be in the same process, without a socket: the case watches the app,
   * or sends what no connection carries.
   */
  isLocal?: boolean;
}

export const HTTP_CONTRACT: readonly OwnCase[] = [
  ...HTTP_CASES,
  ...MESSAGE_CASES,
  ...CALLER_CASES,
  ...OWN_CORS_CASES,
  ...CALLBACK_CASES,
  ...OWN_BODY_CASES,
  ...OPTION_CASES,
];
