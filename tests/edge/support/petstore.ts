/** What the mounting files import as `@petstore/petstore`, while they are checked here. */
export * from "../../../mod.ts";
