import type { Equivalents } from "./equivalents.ts";

export const access: Equivalents = {};
