import type { Equivalents } from "./equivalents.ts";

export const petstore: Equivalents = {};
