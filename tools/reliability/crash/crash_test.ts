import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { Random } from "../../../tests/support/random.ts";
import { withTempFolder } from "../../../tests/support/temp.ts";
import { auditEnd } from "../shared/audit.ts";
import { createAgain } from "../shared/creating.ts";
import type { FindingKind } from "../shared/finding.ts";
import { Follower } from "../shared/follower.ts";
import { SqliteInstallation } from "../shared/installation.ts";
import { type Create, Journal } from "../shared/journal.ts";
import { drawPet } from "../shared/pets.ts";
import { testRounds } from "../shared/round_tests.ts";
import { runCrashRound } from "./tool.ts";

testRounds("crash", "SIGKILL under creating clients loses nothing and doubles nothing", runCrashRound, [
  ...["acknowledged", "kills during creates"],
]);

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
