/**
 * Keeps the search path out of the store's SQL. Another role may create an operator, a function or
 * a type in a schema of that path, which matches better than PostgreSQL's own. It would run with
 * the rights of the petstore. A `SET search_path` on the connection is no way out, because the app
 * and a pooler share the connections.
 *
 * So statements are written plainly, and pass {@link qualify}. They do without `IN`, `BETWEEN`,
 * `CASE x WHEN`, `JOIN … USING` and multiplication, whose operators it does not qualify.
 * `tests/search_path_test.ts` runs the statements on a path full of such objects. The SQL functions
 * of the schema set a path of their own.
 */

/**
 * Puts `pg_catalog` before the names of operators, functions and types.
 *
 * - A name directly before a bracket is a function if it is in lower case. Constructs such as
 *   `COALESCE(` are in capitals.
 * - A type follows `::`. Types that are keywords of SQL, such as `bigint`, always mean PostgreSQL's
 *   own.
 * - The `=` of an `UPDATE … SET column =` is no operator.
 */
export function qualify(sql: string): string {
  // Texts in quotes stay as they are.
  return sql.replace(/'[^']*'|[^']+/g, (part) => part.startsWith("'") ? part : qualifyNames(part));
}

function qualifyNames(sql: string): string {
  return sql
    .replace(/(?<![\w."])[a-z]\w*\(/g, "pg_catalog.$&")
    .replace(/::(?!bigint|smallint|integer|boolean)/g, "::pg_catalog.")
    .replace(/(?<!SET \w+ )[-+/<>=~!@#%^&|]+/g, "OPERATOR(pg_catalog.$&)");
}
