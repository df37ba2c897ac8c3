import { KEY } from "../../support/server/ledger.ts";
import type { IntendedPet } from "./pets.ts";

export { KEY };

const AUTHORIZATION = `Authorization: Bearer ${KEY}\r\n`;

export function getRequest(target: string, headers: string = AUTHORIZATION): string {
  return `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
}

export function createRequest({ body, key }: IntendedPet): string {
  return postRequest(body, AUTHORIZATION + describeCreate(key));
}

/** The same request with `Expect: 100-continue`. */
export function createOnDemand({ body, key }: IntendedPet): [head: string, body: string] {
  const request = postRequest(body, `${AUTHORIZATION}${describeCreate(key)}Expect: 100-continue\r\n`);
  return [request.slice(0, request.length - body.length), body];
}

export function postRequest(body: string, headers: string = AUTHORIZATION): string {
  const length = new TextEncoder().encode(body).length;
  return `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Length: ${length}\r\n\r\n${body}`;
}

function describeCreate(key: string): string {
  return `Content-Type: application/json\r\nIdempotency-Key: ${key}\r\n`;
}
