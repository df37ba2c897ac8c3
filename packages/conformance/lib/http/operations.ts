/** The operations of section 4 of the specification. */

/** A method and a path, and whether it is deprecated. */
export interface Operation {
  /** The name that the OpenAPI description gives it. */
  id: string;
  method: "GET" | "POST";
  path: string;
  isDeprecated: boolean;
}

export const OPERATIONS: readonly Operation[] = [
  { id: "listPets", method: "GET", path: "/pets", isDeprecated: false },
  { id: "createPet", method: "POST", path: "/pets", isDeprecated: false },
  { id: "getPet", method: "GET", path: "/pets/{petId}", isDeprecated: true },
  { id: "listStoreOrders", method: "GET", path: "/store/orders", isDeprecated: false },
];
