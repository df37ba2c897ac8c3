import config from "../../../deno.json" with { type: "json" };

/** The driver has the same version as in the tests. */
export const POSTGRES_DRIVER: string = config.imports.postgres;
