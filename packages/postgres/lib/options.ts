import { checkAll, type Checks, oneOf, wholeNumber } from "@petstore/petstore/store/toolkit";

/** Options of `createPostgresStore()`. */
export interface PostgresStoreOptions {
  /**
   * The schema of the tables: up to 48 lower-case letters, digits and `_`, not starting with a
   * digit or `pg_`. Default: `petstore`.
   */
  schema?: string;
  /**
   * The time limit of a statement, in milliseconds. A create that has waited half of it for earlier
   * creates is refused. Default: 5000.
   */
  timeoutMs?: number;
  /**
   * Whether to prepare statements. Use `false` with a pooler without support, such as PgBouncer
   * before 1.24 with its defaults. Default: `true`.
   */
  prepare?: boolean;
}

/** The options of a store, each with its value or its default. */
export type CheckedOptions = Required<PostgresStoreOptions>;

export const DEFAULT_SCHEMA = "petstore";

const CHECKS: Checks<PostgresStoreOptions, CheckedOptions> = {
  schema: (schema = DEFAULT_SCHEMA) => {
    requireSchemaName(schema);
    return schema;
  },
  timeoutMs: wholeNumber(5000),
  prepare: oneOf([true, false], true),
};

/** @throws {TypeError | RangeError} If an option is invalid. */
export function checkOptions(options: PostgresStoreOptions): CheckedOptions {
  return checkAll(CHECKS, options);
}

/**
 * Checks the name of a schema. It has no capitals and no quotes, so that it is the same in every
 * tool.
 *
 * @throws {TypeError} If it is invalid.
 */
export function requireSchemaName(schema: string): void {
  if (/^[a-z_][a-z0-9_]{0,47}$/.test(schema) && !schema.startsWith("pg_")) return;
  throw new TypeError(
    "The schema of a PostgreSQL store must be up to 48 lower-case letters, digits and _, " +
      `not starting with a digit or pg_, such as petstore, not ${JSON.stringify(schema)}`,
  );
}
