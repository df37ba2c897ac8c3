/** `@petstore/petstore`, for the mounting files. */
export * from "../../../mod.ts";
