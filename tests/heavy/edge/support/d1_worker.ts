/** A Worker that runs the statements that a test sends, in one batch, on its D1 database. */

import { env } from "cloudflare:workers";

interface Batch {
  statements: { sql: string; values: unknown[] }[];
}

export default {
  async fetch(request: Request): Promise<Response> {
    const { statements }: Batch = await request.json();
    try {
      return Response.json(
        await env.DB.batch(statements.map(({ sql, values }) => env.DB.prepare(sql).bind(...values))),
      );
    } catch (error) {
      return new Response((error as Error).message, { status: 500 });
    }
  },
};
