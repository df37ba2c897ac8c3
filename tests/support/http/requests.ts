/** Requests as text, right and wrong. */

export const KEY = "k";
export const AUTHORIZATION = `Authorization: Bearer ${KEY}\r\n`;
export const HOST = "Host: pets.example\r\n";
export const HEADERS = HOST + AUTHORIZATION;
export const PET = '{"name":"Rex","categoryId":7}';
export const MIB = 1_048_576;
export const CHUNKED = "Transfer-Encoding: chunked\r\n";

export function get(target: string, headers = HEADERS, version = "1.1"): string {
  return `GET ${target} HTTP/${version}\r\n${headers}\r\n`;
}

export function head(method: string, target: string, headers = ""): string {
  return `${method} ${target} HTTP/1.1\r\n${HEADERS}${headers}\r\n`;
}

/** @param framing The header with the length, and more if need be. */
export function post(body: string, framing = lengthOf(body)): string {
  return head("POST", "/v1/pets", `Content-Type: application/json\r\n${framing}`) + body;
}

export function lengthOf(body: string): string {
  return `Content-Length: ${new TextEncoder().encode(body).length}\r\n`;
}

export function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}
