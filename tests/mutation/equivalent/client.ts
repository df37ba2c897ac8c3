import type { Equivalents } from "./equivalents.ts";

export const client: Equivalents = {};
