import createClient from "openapi-fetch";
import type { paths } from "../generated/openapi_fetch.ts";
import { settings } from "./common.ts";

const client = createClient<paths>(settings);
const header = { "Idempotency-Key": crypto.randomUUID() };
const { data } = await client.POST("/pets", { body: { name: "Rex", categoryId: 7 }, params: { header } });
console.log(data?.id, data?.name);
const { error } = await client.GET("/pets", { params: { query: { limit: 101 } } });
if (error?.code === "invalid_limit") console.log(error.message);
