import type { Equivalents } from "./equivalents.ts";

export const sqlite: Equivalents = {};
