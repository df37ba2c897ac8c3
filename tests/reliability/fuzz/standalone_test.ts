import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { MALFORMED_CASES } from "./generators/malformed.ts";
import type { Draft } from "./request.ts";
import { formatFinding, search } from "./search.ts";
import { runSequence } from "./session.ts";
import { KEY } from "./settings.ts";
import { FILE, StandaloneServer } from "./standalone.ts";
import { Tally } from "./tally.ts";
import { withTempFolder } from "../../support/temp.ts";

const HEADERS: Draft["headers"] = [["Authorization", `Bearer ${KEY}`], ["Content-Type", "application/json"]];
const GET: Draft = { method: "GET", target: "/v1/pets/{id}", headers: HEADERS, framing: "length", isWalk: false };
const body = new TextEncoder().encode('{"name":"Rex","categoryId":7}');
const POST: Draft = { ...GET, method: "POST", target: "/v1/pets", body };

test("a server with two workers answers random requests as predicted, and the search finds a defect of its store", () =>
  withTempFolder(async (folder) => {
    await using server = await StandaloneServer.start(folder, 2);
    const tally = new Tally();
    const ground = { host: server, tally };
    const extent = { seed: 20301205, sequences: 12 };
    const finding = await search(ground, extent);
    assert.ok(!finding, finding && `${formatFinding(finding, extent)} --workers 2`);
    assert.ok(tally.requests > 200, `only ${tally.requests} requests were sent`);
    await runSequence([POST, ...MALFORMED_CASES, GET], ground);

    using database = new DatabaseSync(join(folder, FILE), { timeout: 5000 });
    database.exec("CREATE TRIGGER defect AFTER INSERT ON pets BEGIN UPDATE pets SET name = 'Max'; END");
    await assert.rejects(runSequence([POST, GET, GET], ground), /the body is .*"Max".*, foretold was .*"Rex"/);
    assert.equal(await server.stop(), undefined);
  }));
