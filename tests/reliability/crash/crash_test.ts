import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { runCrashRound } from "./round.ts";
import { auditEnd } from "../shared/audit.ts";
import { createAgain } from "../shared/creating.ts";
import { Follower } from "../shared/follower.ts";
import type { FindingKind } from "../shared/finding.ts";
import { checkDatabase, SqliteInstallation } from "../shared/installation.ts";
import { type Create, Journal } from "../shared/journal.ts";
import { drawPet } from "../shared/pets.ts";
import { newSeed, Random } from "../../support/random.ts";
import { runRounds } from "../shared/rounds.ts";
import { withTempFolder } from "../../support/temp.ts";

for (const workers of [1, 2]) {
  test(`three times SIGKILL under 32 creating clients of --workers ${workers} lose nothing, double nothing and leave nothing half-stored`, () =>
    withTempFolder(async (folder) => {
      const options = { store: "sqlite" as const, workers, rounds: 3, clients: 32, within: 150, seed: newSeed() };
      const report = await runRounds({ ...options, folder, run: (stage) => runCrashRound(stage, options) });
      assert.deepEqual(
        report.findings,
        [],
        `deno task reliability crash --workers ${workers} --rounds 3 --within 150 --seed ${options.seed}`,
      );
      assert.equal(report.rounds.length, 3);
      for (const { acknowledged, killsInFlight } of report.rounds) assert.ok(acknowledged > 0 && killsInFlight > 0);
    }));
}

const COPY = "(name, category_id, status) = (SELECT name, category_id, status FROM pets WHERE id = 7)";

/** One more or one less, without leaving int64. */
const ONE_OFF = "(category_id | 1) - (category_id & 1)";

/** Changes to a catalogue, and the findings of the audit. */
const TAMPERINGS: readonly (readonly [what: string, sql: string, found: readonly FindingKind[]])[] = [
  ["nothing", "SELECT 1", []],
  ["a row deleted", "DELETE FROM pets WHERE id = 7", ["lost"]],
  ["the last row deleted", "DELETE FROM pets WHERE id = (SELECT max(id) FROM pets)", ["lost"]],
  [
    "a pet doubled",
    "INSERT INTO pets (id, name, category_id, status) SELECT 1000, name, category_id, status FROM pets WHERE id = 7",
    ["doubled"],
  ],
  ["a pet overwritten by a double of another", `UPDATE pets SET ${COPY} WHERE id = 3`, ["doubled", "lost"]],
  ["a name changed", "UPDATE pets SET name = name || ' ' WHERE id = 7", ["half-stored", "lost"]],
  ["a name cut off", "UPDATE pets SET name = substr(name, 2) WHERE id = 7", ["half-stored", "lost"]],
  ["a category one off", `UPDATE pets SET category_id = ${ONE_OFF} WHERE id = 7`, ["half-stored", "lost"]],
  ["a status changed", "UPDATE pets SET status = (status + 1) % 3 WHERE id = 7", ["half-stored", "lost"]],
  ["an id changed", "UPDATE pets SET id = 1000 WHERE id = 7", ["lost"]],
  [
    "two ids exchanged",
    "UPDATE pets SET id = 1000 WHERE id = 7; UPDATE pets SET id = 7 WHERE id = 8; UPDATE pets SET id = 8 WHERE id = 1000",
    ["lost"],
  ],
  ["a pet that no client has sent", "INSERT INTO pets (id, name, category_id, status) VALUES (1000, 'x', 1, 0)", [
    "half-stored",
  ]],
];

test("the audit finds manual changes to a catalogue", () =>
  withTempFolder(async (folder) => {
    const random = new Random(1);
    await using installation = new SqliteInstallation(folder);
    await installation.start();
    const acknowledged = await createPets(installation, random, 150);
    using db = new DatabaseSync(join(folder, "pets.db"), { timeout: 5000, enableForeignKeyConstraints: false });
    db.exec("CREATE TEMP TABLE kept AS SELECT * FROM pets");
    for (const [what, sql, found] of TAMPERINGS) {
      db.exec(sql);
      const journal = copyOf(acknowledged);
      await auditEnd(installation.ports, journal, random);
      const kinds = new Set(journal.findings.map(({ kind }) => kind));
      assert.deepEqual([...kinds].sort(), [...found].sort(), what);
      db.exec("DELETE FROM pets; INSERT INTO pets SELECT * FROM kept");
    }
    const journal = copyOf(acknowledged);
    journal.intend(drawPet(random, "never asked for"));
    await auditEnd(installation.ports, journal, random);
    assert.deepEqual(journal.findings.map(({ kind }) => kind), ["lost"]);
  }));

test("a reader who follows the ids misses a pet that appears below the last one that it was shown", () =>
  withTempFolder(async (folder) => {
    await using installation = new SqliteInstallation(folder);
    await installation.start();
    await createPets(installation, new Random(1), 150);
    using db = new DatabaseSync(join(folder, "pets.db"), { timeout: 5000, enableForeignKeyConstraints: false });
    db.exec("CREATE TEMP TABLE late AS SELECT * FROM pets WHERE id IN (7, 140); DELETE FROM pets WHERE id IN (7, 140)");
    const follower = new Follower(() => installation.ports);
    while (follower.last < 150n) await new Promise((resolve) => setTimeout(resolve, 1));
    db.exec("INSERT INTO pets SELECT * FROM late; DELETE FROM pets WHERE id = 9");
    const journal = new Journal();
    await follower.finish(journal);
    assert.deepEqual(journal.findings.map(({ kind, detail }) => `${kind} ${/\d+/.exec(detail)}`), [
      "missed 7",
      "missed 140",
      "lost 9",
    ]);
  }));

async function createPets({ ports }: SqliteInstallation, random: Random, count: number): Promise<Create[]> {
  const journal = new Journal();
  for (let i = 0; i < count; i++) journal.intend(drawPet(random, `pet${i}`));
  const onFailure = () => assert.fail("A create failed");
  await createAgain({ ports, journal, random, clients: 8, onFailure }, journal.creates());
  assert.deepEqual(journal.findings, []);
  assert.equal(journal.acknowledged, count);
  return journal.creates();
}

function copyOf(creates: readonly Create[]): Journal {
  const journal = new Journal();
  for (const { pet, id } of creates) journal.acknowledge(Object.assign(journal.intend(pet), { id }));
  return journal;
}

test("the check of the database finds a page that was overwritten, and changes nothing", () =>
  withTempFolder(async (folder) => {
    const path = join(folder, "pets.db");
    await using installation = new SqliteInstallation(folder);
    await installation.start();
    await createPets(installation, new Random(1), 150);
    await installation.crash();
    const before = [Deno.readFileSync(path), Deno.readFileSync(`${path}-wal`)];
    assert.deepEqual(checkDatabase(path), []);
    assert.deepEqual([Deno.readFileSync(path), Deno.readFileSync(`${path}-wal`)], before);
    await installation.start();
    await installation.stop();
    const root = rootOfIndex(path);
    const bytes = Deno.readFileSync(path);
    bytes.fill(0xff, root, root + 512);
    Deno.writeFileSync(path, bytes);
    assert.notDeepEqual(checkDatabase(path), []);
  }));

/** The offset of the index in the file. */
function rootOfIndex(path: string): number {
  using db = new DatabaseSync(path, { readOnly: true });
  const row = db.prepare("SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = ?");
  const { rootpage, page_size: size } = row.get("pets_by_status") ?? {};
  return (Number(rootpage) - 1) * Number(size);
}

test("the journal finds acknowledgements that are wrong", () => {
  const random = new Random(1);
  const cases: readonly (readonly [what: string, change: (response: Parts) => Partial<Parts>, found: FindingKind[]])[] =
    [
      ["a first response", () => ({}), []],
      ["another name", ({ text }) => ({ text: text.replace("rex", "max") }), ["response"]],
      ["another place", () => ({ location: "/v1/pets/6" }), ["response"]],
      ["no pet", () => ({ text: "{}" }), ["response"]],
      ["a first response that is called a replay", () => ({ replayed: "true" }), ["replay"]],
      ["a replay", () => ({ isRetry: true, replayed: "true" }), []],
      ["a replay that is not called one", () => ({ isRetry: true }), ["replay"]],
      ["a retry that made a second pet", () => ({ isRetry: true, replayed: "true", first: 4n }), ["replay"]],
      ["an id below one that was there", () => ({ floor: 5n }), ["unordered"]],
      ["an id above all that were there", () => ({ floor: 4n }), []],
    ];
  for (const [what, change, found] of cases) {
    const journal = new Journal();
    const create = journal.intend({ ...drawPet(random, "rex"), name: "rex", categoryId: 7n, status: "sold" });
    const plain = { text: '{"id":5,"name":"rex","categoryId":7,"status":"sold"}', location: "/v1/pets/5" };
    const parts: Parts = { ...plain, replayed: "", isRetry: false, first: 5n, floor: 0n };
    const { text, location, replayed, isRetry, first, floor } = { ...parts, ...change(parts) };
    if (isRetry) journal.acknowledge(Object.assign(create, { id: first }));
    journal.raiseFloor(floor);
    const headers = new Headers({ location, "idempotency-replayed": replayed });
    journal.take(create, { status: 201, headers, text });
    assert.deepEqual(journal.findings.map(({ kind }) => kind), found, what);
  }
});

interface Parts {
  text: string;
  location: string;
  replayed: string;
  isRetry: boolean;
  first: bigint;
  floor: bigint;
}
