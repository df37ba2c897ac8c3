/** The petstore never runs functions, operators or types of other roles from the search path. */

import assert from "node:assert/strict";
import { CANCEL } from "../lib/statements.ts";
import { postgresGrants, postgresSchema } from "../mod.ts";
import { readPostgresSetting } from "../server.ts";
import type { KeyedPetStore } from "@petstore/petstore/store";
import { keyOf } from "../../conformance/lib/store/keys.ts";
import { runSql } from "../../../tests/support/postgres/postgres.ts";
import { asRole, forgetCall, PET, request, test, usingStore } from "./support.ts";

const TYPES = ["int2", "int4", "int8", "numeric", "float8", "text", "bool", "json", "name", "oid", "regclass", "tid"];
const ARRAYS = ["_int2", "_int4", "_int8", "_text", "_tid", "_name"];

/**
 * Creates a failing twin of each operator, function and type of PostgreSQL that our SQL could refer
 * to. Functions that take any type get a twin for each type, which is a better match. A twin names
 * the role that has run it.
 */
function twins(schema: string): string {
  const list = (names: string[]) => `ARRAY[${names.map((name) => `'${name}'`)}]`;
  return `CREATE FUNCTION "${schema}".trap() RETURNS void LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'trapped %', current_user; END $$;
  DO $$
  DECLARE
    known oid[] := ARRAY(SELECT oid FROM pg_catalog.pg_type WHERE typname = ANY (${list([...TYPES, ...ARRAYS])})
      AND typnamespace = 'pg_catalog'::regnamespace);
    each record;
    made integer := 0;
  BEGIN
    FOR each IN SELECT DISTINCT ON (oprname, oprleft, oprright) oprname AS name, oprleft AS l, oprright AS r,
          oprresult AS result FROM (SELECT oprname, oprleft, oprright, oprresult FROM pg_catalog.pg_operator
        WHERE (oprleft = 0 OR oprleft = ANY (known)) AND oprright = ANY (known)
      UNION SELECT '||', a, b, 'text'::regtype FROM unnest(known) AS a, unnest(known) AS b) AS all_of_them LOOP
      made := made + 1;
      EXECUTE format('CREATE FUNCTION "${schema}".twin_%s(%s) RETURNS %s LANGUAGE sql VOLATILE
        AS ''SELECT "${schema}".trap(); SELECT NULL::%3$s''', made,
        concat_ws(', ', nullif(each.l, 0)::regtype, each.r::regtype), each.result::regtype);
      EXECUTE format('CREATE OPERATOR "${schema}".%s (%s RIGHTARG = %s, FUNCTION = "${schema}".twin_%s)', each.name,
        'LEFTARG = ' || nullif(each.l, 0)::regtype || ',', each.r::regtype, made);
    END LOOP;
    FOR each IN SELECT DISTINCT ON (proname, args) proname AS name, args, result FROM (
        SELECT proname, pg_catalog.oidvectortypes(proargtypes) AS args, prorettype::regtype AS result
        FROM pg_catalog.pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f' AND NOT proretset
          AND provariadic = 0 AND proargtypes::oid[] <@ known AND prorettype = ANY (known || ARRAY[2278, 1184]::oid[])
        UNION SELECT name, a::regtype::text, 'json'::regtype FROM unnest(known) AS a,
          unnest(ARRAY['to_json', 'unnest', 'cardinality', 'concat', 'format', 'array_to_string']) AS name
      ) AS all_of_them LOOP
      EXECUTE format('CREATE FUNCTION "${schema}".%I(%s) RETURNS %s LANGUAGE sql VOLATILE
        AS ''SELECT "${schema}".trap(); SELECT NULL::%3$s''', each.name, each.args, each.result);
    END LOOP;
    FOR each IN SELECT unnest(${list(TYPES)}) AS name LOOP
      EXECUTE format('CREATE DOMAIN "${schema}".%I AS pg_catalog.%1$I CHECK ("${schema}".trap() IS NULL)', each.name);
    END LOOP;
  END $$`;
}

/** Runs each statement of a store at least once. A twin makes it fail. */
async function useAll(store: KeyedPetStore): Promise<void> {
  const { keys } = store, [key, other] = [keyOf(crypto.randomUUID()), keyOf(crypto.randomUUID())];
  assert.equal(await keys.add(key), true);
  assert.equal(await keys.add(other, { id: key.id, expires: new Date(8) }), true);
  assert.equal(await keys.revoke(other.id, new Date(9)), true);
  await keys.listSince!("");
  const once = request(crypto.randomUUID().slice(0, 22));
  await store.createOnce!(PET, once);
  assert.equal((await store.createOnce!(PET, once)).outcome, "replayed");
  const id = await store.create(PET);
  await store.get(id);
  for (const status of [undefined, "sold"] as const) {
    assert.match((await store.list({ after: id - 1n, limit: 20, status })).json, /"Rex"/);
  }
  await store.checkWrites!();
  await store.createOnce!(PET, request("gone", "f", 0));
}

/** The store's own statement that cancels another one, for the process that runs it. */
function cancelItself(when: string, text = "pg_catalog.current_query()"): string {
  return CANCEL.replace("$1", "pg_catalog.pg_backend_pid()").replace("$2", text).replace("$3", `'${when}'`);
}

test.schema("the store runs nothing that another role has created in the search path", async (url, schema) => {
  const attacker = `attacker_${schema}`, role = `petstore_${schema}`, open = `open_${schema}`;
  const roleUrl = asRole(url, role);
  await runSql(
    url,
    `CREATE ROLE "${attacker}" LOGIN PASSWORD 'pw'; CREATE ROLE "${role}" LOGIN PASSWORD 'pw';
     CREATE SCHEMA "${open}"; GRANT CREATE, USAGE ON SCHEMA "${open}" TO "${attacker}"; GRANT USAGE ON SCHEMA "${open}" TO PUBLIC`,
  );
  try {
    await runSql(asRole(url, attacker), twins(open));
    // PostgreSQL searches its own schema first unless the path names it, so both paths are tried.
    for (const path of [`"${open}"`, `"${open}", pg_catalog`]) {
      await runSql(url, `ALTER ROLE "${role}" SET search_path = ${path}`);
      await assert.rejects(runSql(roleUrl, "SELECT to_json('x'::text)"), /trapped petstore_/);
      await runSql(url, `SET search_path = ${path}; ${postgresSchema(schema)} ${postgresGrants(`"${role}"`, schema)}`);
      await usingStore(roleUrl, schema, async (store) => {
        for (let round = 0; round < 6; round++) await useAll(store);
      });
      // PostgreSQL shows a type that has a twin with its schema, which the check takes for another
      // type. It runs no twin.
      await readPostgresSetting(`${roleUrl}?schema=${schema}`).check();
      // Called here, because a server ignores their failures. The cancellation finds its own statement.
      await runSql(roleUrl, forgetCall(schema, 10));
      assert.deepEqual(await runSql(roleUrl, cancelItself("before its commit")), []);
      // After a failover, the number may be that of another process, which runs another statement.
      assert.deepEqual(await runSql(roleUrl, cancelItself("always", "'SELECT another'")), []);
      await assert.rejects(runSql(roleUrl, cancelItself("always")), /canceling statement due to user request/);
      const unsafe = `SELECT proname FROM pg_proc WHERE pronamespace = '"${schema}"'::regnamespace
        AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (proconfig), false)`;
      assert.deepEqual(await runSql(url, unsafe), []);
      await runSql(url, `SET client_min_messages = warning; DROP SCHEMA "${schema}" CASCADE`);
    }
  } finally {
    await runSql(
      url,
      `SET client_min_messages = warning; DROP OWNED BY "${attacker}", "${role}" CASCADE; DROP SCHEMA "${open}" CASCADE;
       DROP ROLE "${attacker}", "${role}"`,
    );
  }
});
