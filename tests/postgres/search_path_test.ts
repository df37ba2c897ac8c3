/** What others make in a schema of the search path is never run by the petstore. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createPostgresStore, postgresGrants, postgresSchema } from "../../lib/stores/postgres/postgres_store.ts";
import { statementsFor } from "../../lib/stores/postgres/statements.ts";
import { formatPet, type PetStore } from "../../mod.ts";
import { DRIVERS, runSql, whyNoPostgres, withSchema } from "../support/postgres/postgres.ts";

const skip = whyNoPostgres();
const why = skip ? ` (skipped: ${skip})` : "";
const PET = { name: "Rex", categoryId: 7n, status: "sold" } as const;

/** The types that our SQL has to do with. */
const TYPES = ["int2", "int4", "int8", "numeric", "float8", "text", "bool", "json", "name", "oid", "regclass", "tid"];
const ARRAYS = ["_int2", "_int4", "_int8", "_text", "_tid", "_name"];

/**
 * Makes, as somebody who may create in one schema, a twin there of each of PostgreSQL's operators, functions and types
 * that our SQL could mean. Functions that take anything get twins for each type, which fit better. Each says who has run
 * it, as something worse would.
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

/** All that a store does. */
async function useAll(store: PetStore): Promise<void> {
  const request = { key: crypto.randomUUID().slice(0, 22), fingerprint: "f".repeat(22), retentionMs: 60_000 };
  const id = await store.create(PET);
  const once = await store.createOnce!(PET, request);
  assert.deepEqual(once, { outcome: "created", id: id + 1n });
  assert.deepEqual(await store.createOnce!(PET, request), { ...once, outcome: "replayed" });
  assert.deepEqual(await store.createOnce!(PET, { ...request, fingerprint: "g" }), { outcome: "reused" });
  assert.equal(await store.get(id), formatPet({ id, ...PET }));
  const pets = `[${formatPet({ id: id + 1n, ...PET })}]`;
  assert.deepEqual(await store.list({ after: id, limit: 20 }), { json: pets });
  assert.deepEqual(await store.list({ after: id, limit: 20, status: "sold" }), { json: pets });
  await store.createOnce!(PET, { ...request, key: "gone".padEnd(22, "k"), retentionMs: 0 });
  await store.check();
}

/** Gives roles of their own for an attacker and a petstore, and a schema that the attacker may create in. */
function withRoles(use: (roles: { url: string; schema: string; open: string; petstore: URL }) => Promise<void>) {
  return withSchema(async (url, schema) => {
    const [attacker, petstore, open] = ["attacker", "petstore", "open"].map((name) => `${name}_${schema}`);
    await runSql(
      url,
      `CREATE ROLE "${attacker}" LOGIN PASSWORD 'pw'; CREATE ROLE "${petstore}" LOGIN PASSWORD 'pw';
       CREATE SCHEMA "${open}"; GRANT CREATE, USAGE ON SCHEMA "${open}" TO "${attacker}"; GRANT USAGE ON SCHEMA "${open}" TO PUBLIC`,
    );
    const as = (role: string) => Object.assign(new URL(url), { username: role, password: "pw" });
    try {
      await runSql(as(attacker!).href, twins(open!));
      await use({ url, schema, open: open!, petstore: as(petstore!) });
    } finally {
      const roles = `"${attacker}", "${petstore}"`;
      await runSql(
        url,
        `SET client_min_messages = warning; DROP OWNED BY ${roles} CASCADE; DROP SCHEMA "${open}" CASCADE;
         DROP ROLE ${roles}`,
      );
    }
  });
}

test(
  `a role that may create in the search path makes nothing that the petstore runs${why}`,
  { skip },
  () =>
    withRoles(async ({ url, schema, open, petstore }) => {
      // PostgreSQL's own schema comes first unless it is named: both ways, and tables made by an administrator or by the role.
      for (const [i, path] of [`"${open}"`, `"${open}", pg_catalog`].entries()) {
        await runSql(url, `ALTER ROLE "${petstore.username}" SET search_path = ${path}`);
        await assert.rejects(runSql(petstore.href, "SELECT to_json('x'::text)"), /trapped petstore_/);
        await runSql(
          url,
          `SET search_path = ${path}; ${postgresSchema(`${schema}_${i}`)}
          ${postgresGrants(`"${petstore.username}"`, `${schema}_${i}`)}`,
        );
        for (const driver of DRIVERS) {
          await driver.use(petstore.href, async (client) => {
            const store = await createPostgresStore(client, { schema: `${schema}_${i}` });
            for (let round = 0; round < 3; round++) await useAll(store);
            await store.close();
          });
        }
        // A server says nothing when this fails.
        await runSql(petstore.href, statementsFor(`${schema}_${i}`).forget.replace("$1", "10"));
        assert.deepEqual(await runSql(url, `SELECT count(*) FROM "${schema}_${i}".requests`), [["6"]]);
        assert.deepEqual(await runSql(url, `SELECT count(*) FROM "${schema}_${i}".pets`), [["18"]]);
        const unsafe = await runSql(
          url,
          `SELECT proname FROM pg_proc WHERE pronamespace = '"${schema}_${i}"'::regnamespace
             AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (proconfig), false)`,
        );
        assert.deepEqual(unsafe, []);
        await runSql(url, `SET client_min_messages = warning; DROP SCHEMA "${schema}_${i}" CASCADE`);
      }
    }),
);

test(
  `making the tables runs nothing of the search path either, and leaves that as it was${why}`,
  { skip },
  () =>
    withRoles(async ({ url, schema, open, petstore }) => {
      const [[database] = []] = await runSql(url, "SELECT current_database()");
      await runSql(
        url,
        `ALTER ROLE "${petstore.username}" SET search_path = "${open}", pg_catalog;
         GRANT CREATE ON DATABASE "${database}" TO "${petstore.username}"`,
      );
      await DRIVERS[1]!.use(petstore.href, async (client) => {
        const store = await createPostgresStore(client, { schema });
        await useAll(store);
        await store.close();
      });
      const path = `SET search_path = "${open}"; BEGIN; ${postgresSchema(schema)} COMMIT; SHOW search_path`;
      assert.match(JSON.stringify(await runSql(url, path)), new RegExp(open));
    }),
);
