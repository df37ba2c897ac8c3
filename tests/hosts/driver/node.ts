/** `@petstore/petstore/node`, for the programs here. */

export * from "../../../lib/hosts/node.ts";
