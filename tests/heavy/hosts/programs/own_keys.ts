import { createPetstore } from "@petstore/petstore";
import { Hono } from "hono";

/** The app's own sessions; in a real app a database. */
const sessions = new Map([
  ["token-of-ann", { user: "Ann", isActive: true }],
  ["token-of-bob", { user: "Bob", isActive: false }],
]);

async function findSession(token: string) {
  return await Promise.resolve(sessions.get(token));
}

const petstore = createPetstore({
  async keys(token) {
    const session = token === undefined ? undefined : await findSession(token);
    return session?.isActive ? { id: session.user } : undefined;
  },
});

const app = new Hono();
app.post("/logout/:token", (context) => {
  sessions.delete(context.req.param("token"));
  return context.body(null, 204);
});
app.all("/v1/*", (context) => petstore.handle(context.req.raw));

Deno.serve({ port: Number(Deno.env.get("PORT") ?? 8000) }, app.fetch);
