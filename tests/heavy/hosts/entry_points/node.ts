/** The Node listener under the name that apps import it by. */

export * from "../../../../lib/hosts/node.ts";
