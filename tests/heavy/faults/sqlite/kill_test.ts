/**
 * SIGKILL under clients that create pets: what was acknowledged is there after the next start, and
 * a repeated create adds nothing.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Asked, KEY, Ledger, ON_FILE } from "../../../support/server/ledger.ts";
import { ServerProcess, walk } from "../../../support/server/server_process.ts";
import { withTempFolder } from "../../../support/temp.ts";
import { until } from "../../../support/until.ts";

/**
 * How many clients create pets at the same time, and after how many more acknowledged pets the
 * server is killed, round by round.
 */
const CLIENTS = 16, KILLS = [0, 1, 40, 200, 500];

const CUT = { status: 503, headers: new Headers(), text: '{"code":"store_unavailable"}' };

test("SIGKILL under creating clients loses no acknowledged pet, and a create that is repeated afterwards makes no second one", () =>
  withTempFolder(async (folder) => {
    const ledger = new Ledger();
    let server = await ServerProcess.start(folder, ON_FILE), isDone = false;
    const asked: Asked = {
      async ask(...request) {
        try {
          return await server.ask(...request);
        } catch (error) {
          if (!(error instanceof TypeError)) throw error;
          // A connection that ends without a response acknowledges nothing, and the client repeats its create.
          return CUT;
        }
      },
    };
    try {
      const clients = Array.from(
        { length: CLIENTS },
        (_, number) => ledger.createOnAndOn([asked], `pet-${number}`, () => isDone),
      );
      for (const more of KILLS) {
        const wanted = ledger.pets.size + more;
        await until("acknowledged pets", () => ledger.pets.size >= wanted);
        await server.stop("SIGKILL");
        server = await ServerProcess.start(folder, ON_FILE);
      }
      isDone = true;
      await Promise.all(clients);
      assert.ok(ledger.refused >= KILLS.length, "each kill cut a create");
      assert.deepEqual(await walk(KEY, server), ledger.inOrder());
      assert.equal(await server.stop(), 0);
    } finally {
      await server[Symbol.asyncDispose]();
    }
  }));
