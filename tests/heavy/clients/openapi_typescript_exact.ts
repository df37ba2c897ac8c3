/** Runs openapi-typescript with a transform that its command line lacks: int64 becomes bigint. */

import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const BIGINT = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);

const types = await openapiTS(
  JSON.parse(readFileSync("generated/openapi.json", "utf8")),
  {
    transform: ({ format }) => format === "int64" ? BIGINT : undefined,
  },
);
writeFileSync("generated/openapi_fetch_exact.ts", astToString(types));
