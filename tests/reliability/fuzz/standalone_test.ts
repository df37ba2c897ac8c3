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

test("a server with two workers answers random requests as predicted, malformed ones with 400, and the search finds a defect", () =>
  withTempFolder(async (folder) => {
    await using server = await StandaloneServer.start(folder, 2);
    const tally = new Tally();
    const ground = { server, tally };
    const extent = { seed: 20301205, sequences: 12 };
    const finding = await search(ground, extent);
    assert.ok(!finding, finding && `${formatFinding(finding, extent)} --workers 2`);
    assert.ok(tally.requests > 200, `only ${tally.requests} requests were sent`);
    // The model expects that none of them has left a pet, or changed one.
    const malformed = new Tally();
    await runSequence([POST, ...MALFORMED_CASES, GET], { server, tally: malformed });
    for (const status of ["200", "201"]) assert.ok(malformed.responses.delete(status));
    for (const kind of malformed.responses.keys()) {
      assert.match(kind, /^no HTTP: (400|closed|let through, 400 invalid_json)$/);
    }

    using database = new DatabaseSync(join(folder, FILE), { timeout: 5000 });
    database.exec("CREATE TRIGGER defect AFTER INSERT ON pets BEGIN UPDATE pets SET name = 'Max'; END");
    await assert.rejects(runSequence([POST, GET, GET], ground), /the body is .*"Max".*, foretold was .*"Rex"/);
    assert.equal(await server.stop(), undefined);
  }));
