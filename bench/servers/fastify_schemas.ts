/** The schemas of the requests and responses of Fastify. */

const status = { type: "string", enum: ["available", "pending", "sold"] };
const id = { type: "integer", minimum: 1 };
const name = { type: "string", minLength: 1, maxLength: 255 };
const categoryId = { type: "integer" };
const pet = {
  type: "object",
  properties: { id, name, categoryId, status },
  required: ["id", "name", "categoryId", "status"],
};
const newPet = {
  type: "object",
  properties: { name, categoryId, status: { ...status, default: "available" } },
  required: ["name", "categoryId"],
};
const query = {
  type: "object",
  properties: {
    limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
    status,
    cursor: { type: "string", pattern: "^[A-Za-z0-9]+$" },
  },
};
export const listSchema = { querystring: query, response: { 200: { type: "array", items: pet } } };
export const getSchema = { params: { type: "object", properties: { petId: id } }, response: { 200: pet } };
export const createSchema = { body: newPet, response: { 201: pet } };
