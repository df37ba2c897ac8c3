/** A petstore that is written from the specification alone. It settles in several ways what that leaves open. */

import { parseExact } from "../../packages/conformance/lib/http/exact.ts";
import type { Handle } from "../../packages/conformance/mod.ts";
import { KEY } from "./api.ts";

export type OtherPet = Record<"id" | "name" | "categoryId" | "status", unknown>;

interface OtherError {
  code: string;
  message: string;
  status: number;
}

/** Where petstores differ. */
export interface Choices {
  /** Whether a pet may be added, beside those that are added. */
  accepts?(pet: OtherPet, pets: readonly OtherPet[]): boolean;
  /** A pet, as the petstore shows it. */
  show?(pet: OtherPet): Partial<OtherPet> & Record<string, unknown>;
  /** The pets of a list, from all that it may have. */
  list?(pets: readonly OtherPet[]): readonly OtherPet[];
  accepted?(key: string): boolean;
  firstId?: bigint;
  step?: bigint;
  /** The white space within its JSON. */
  space?: number;
  contentType?: string;
  explain?(error: OtherError): object;
  otherMethods?: number;
  wrongId?: number;
  wrongQuery?: number;
  /** Whether a body without `application/json` gets 415. */
  mediaType?: boolean;
  scheme?: RegExp;
  /** The answer to other paths than those of the specification, with a key or without. */
  unknownPath?: Response;
  /** The names of parameters that a list may have. */
  parameters?: RegExp;
  /** Whether a list has a link to the next page. */
  links?: boolean;
}

function isPet({ name, categoryId, status = "sold" }: Partial<OtherPet>): boolean {
  return typeof name === "string" && typeof categoryId === "bigint" && typeof status === "string" &&
    /^(available|pending|sold)$/.test(status);
}

function readPet(text: string): Partial<OtherPet> | undefined {
  try {
    return parseExact(text) as Partial<OtherPet>;
  } catch {
    return undefined;
  }
}

export function createOther(choices: Choices = {}): Handle {
  const { accepts, show = (pet) => pet, list = (all) => all, accepted = (key) => key === KEY } = choices;
  const { firstId = 1n, step = 1n, space, contentType = "application/json", explain = (error) => error } = choices;
  const { otherMethods = 405, wrongId = 404, wrongQuery, mediaType, scheme = /^Bearer (.+)$/, links } = choices;
  const { unknownPath, parameters = /./ } = choices;
  const pets: OtherPet[] = [];

  function asJson(value: unknown, status = 200, more: Record<string, string> = {}): Response {
    const text = JSON.stringify(value, (_, member) => typeof member === "bigint" ? `int ${member}` : member, space);
    const headers = { "content-type": contentType, ...more };
    return new Response(text.replaceAll(/"int (-?\d+)"/g, "$1"), { status, headers });
  }

  function refuse(status: number): Response {
    return asJson(explain({ code: "refused", message: "It is refused", status }), status);
  }

  function create(text: string): Response {
    const pet = { status: "available", ...readPet(text), id: firstId + step * BigInt(pets.length) } as OtherPet;
    if (!isPet(pet) || accepts?.(pet, pets) === false) return refuse(400);
    pets.push(pet);
    return asJson(show(pet), 201);
  }

  function get(id: string): Response {
    if (!/^-?\d+$/.test(id)) return refuse(wrongId);
    const pet = pets.find((pet) => String(pet.id) === id);
    return pet ? asJson(show(pet)) : refuse(404);
  }

  function listAll(pathname: string, query: URLSearchParams): Response {
    const status = query.get("status"),
      limit = Number(query.get("limit") ?? 20),
      after = Number(query.get("after") ?? 0);
    if ([...query.keys()].some((name) => name !== "after" && !parameters.test(name))) return refuse(400);
    if (wrongQuery && !/^(available|pending|sold)$/.test(status ?? "sold")) return refuse(wrongQuery);
    const found = list(pets.filter((pet) => status === null || pet.status === status));
    query.set("after", String(after + limit));
    const link: Record<string, string> = { link: `<${pathname}?${query}>; rel="next"` };
    const page = found.slice(after, after + limit).map(show);
    return asJson(page, 200, links && after + limit < found.length ? link : {});
  }

  return async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (unknownPath && !/\/pets(\/[^/]+)?$/.test(pathname)) return unknownPath.clone();
    if (!accepted(scheme.exec(request.headers.get("authorization") ?? "")?.[1] ?? "")) return refuse(401);
    const id = /\/pets\/(.*)$/.exec(pathname)?.[1];
    if (request.method === "POST" && id === undefined) {
      if (mediaType && !/^application\/json/.test(request.headers.get("content-type") ?? "")) return refuse(415);
      return create(await request.text());
    }
    if (request.method !== "GET") return refuse(otherMethods);
    return id === undefined ? listAll(pathname, searchParams) : get(id);
  };
}
