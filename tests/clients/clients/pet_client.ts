/** The interface that the tests give to every generated client. The types of each generator must fit these codes. */

/** The modules of this folder, and the clients in each. Each client has an example of its name. */
export const MODULES = {
  strict: ["openapi_fetch", "orval", "swagger_typescript_api"],
  loose: ["hey_api", "kubb", "openapi_zod_client"],
};

export type PetStatus = "available" | "pending" | "sold";
export type NewPet = { name: string; categoryId: number; status?: PetStatus };
export type Pet = Required<NewPet> & { id: number };
export type Query = { limit?: number; status?: PetStatus; cursor?: string };

export type Failure<Code extends string> = { code: Code; message: string; status: number };

export interface ClientResponse<T, Code extends string> {
  status: number;
  headers: Headers;
  data?: T | undefined;
  error?: Failure<Code> | undefined;
}

type AnyCode = "invalid_host" | "missing_api_key" | "invalid_api_key" | "internal_error" | "store_unavailable";
export type ListCode = AnyCode | "invalid_limit" | "invalid_status" | "invalid_cursor";
export type CreateCode =
  | AnyCode
  | ("insufficient_scope" | "invalid_idempotency_key" | "idempotency_key_reused" | "overloaded")
  | ("invalid_json" | "invalid_pet" | "request_timeout" | "body_too_large" | "unsupported_media_type");
export type GetCode = AnyCode | "pet_not_found";
export type OrdersCode = AnyCode | "not_implemented";

type More = Record<string, string>;

/** One generated client, with an address and a key. */
export interface PetClient {
  create(pet: NewPet, headers?: More): Promise<ClientResponse<Pet, CreateCode>>;
  list(query?: Query, headers?: More): Promise<ClientResponse<Pet[], ListCode>>;
  get(petId: number, headers?: More): Promise<ClientResponse<Pet, GetCode>>;
  orders(): Promise<ClientResponse<unknown, OrdersCode>>;
}

/** Makes a client of the API at this address; `null` for no key. */
export type CreateClient = (base: string, key: string | null) => PetClient;

/** The clients of a module, by name. */
export type Clients = Record<string, CreateClient>;

export function bearer(key: string | null): Record<string, string> {
  return key === null ? {} : { authorization: `Bearer ${key}` };
}

/** The response that a client gives in these parts. For a response without a body, some give "" or {} as the error. */
export function toClientResponse<T, Code extends string>(
  { data, error, response }: {
    data?: T | null | undefined;
    error?: Failure<Code> | void | null | undefined;
    response?: { status: number; headers: Headers } | undefined;
  },
): ClientResponse<T, Code> {
  if (!response) throw new Error("There was no response", { cause: error });
  const { status, headers } = response;
  return { status, headers, data: data ?? undefined, error: error && "code" in error ? error : undefined };
}
