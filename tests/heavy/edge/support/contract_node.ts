/** The library of the contract, with the listener for Node. */

export * from "./contract_petstore.ts";
export * from "../../../../lib/hosts/node.ts";
