/** A million pets in and out, beside COPY. */

import { runSql } from "../../tests/support/postgres/postgres.ts";
import type { Cluster } from "../../tests/support/postgres/cluster.ts";
import { PETSTORE, ratio } from "../cases/data.ts";
import { timeCommand } from "../load/timing.ts";
import { writePetFiles } from "../pet_files.ts";
import { inRounds } from "../rounds.ts";
import type { Row } from "../row.ts";
import { fillTable } from "./plans.ts";

const PETS = 1_000_000;
const EMPTY = "TRUNCATE petstore.pets, petstore.imports";

export async function measureData({ port }: Cluster, folder: string, rounds: number): Promise<Row[]> {
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const files = await writePetFiles(folder, PETS);
  await fillTable(url, EMPTY);
  const own = (...args: string[]) => timeCommand([...PETSTORE, ...args], { PETSTORE_STORE: url });
  const copy = (what: string) => timeCommand(["psql", url, "--command", `\\copy ${what}`]);
  const emptied = (run: () => ReturnType<typeof timeCommand>) => async () => {
    await runSql(url, EMPTY);
    return await run();
  };
  const columns = "petstore.pets (id, name, category_id, status)";
  const into = await inRounds({
    ndjson: emptied(() => own("import", files.ndjson)),
    copy: emptied(() => copy(`${columns} FROM '${files.rows}' WITH (FORMAT csv)`)),
  }, rounds);
  const out = await inRounds({
    ndjson: () => own("export"),
    copy: () => copy(`${columns} TO STDOUT WITH (FORMAT csv)`),
  }, rounds);
  // Copied rows are beyond the sequence.
  await runSql(url, EMPTY);
  return [
    ratio(
      { name: "data-import", title: "A million pets, import of NDJSON", subject: "petstore import", base: "COPY" },
      into.ndjson,
      into.copy,
    ),
    ratio(
      { name: "data-export", title: "A million pets, export as NDJSON", subject: "petstore export", base: "COPY" },
      out.ndjson,
      out.copy,
    ),
  ];
}
