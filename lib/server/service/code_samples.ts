/**
 * Samples of code that send a request, in several languages, for the extension `x-codeSamples` of the description, which documentation
 * platforms show. Each sample reads the address of the API and the key from the environment.
 */

import type { JsonObject } from "../../operations/json_types.ts";

/** The request that the samples of an operation send: a POST if it has a body, and otherwise a GET. */
interface SampleRequest {
  /** The path below the base address, with the query. */
  path: string;
  /** A body of JSON. It must have neither `'` nor a backtick, because it stands between these in the samples. */
  body?: string;
  /** The code that calls `pets` of @petstore/client. It is absent if the client has no such call. */
  client?: string;
}

/** The requests by the ids of their operations. The category in a body is one that a JSON parser may round. */
const REQUESTS: Readonly<Record<string, SampleRequest>> = {
  listPets: {
    path: "/pets?status=available",
    client: 'for await (const pet of pets.list({ status: "available" })) console.log(pet);',
  },
  createPet: {
    path: "/pets",
    body: '{"name":"Rex","categoryId":9223372036854775807}',
    client: 'console.log(await pets.create({ name: "Rex", categoryId: 9223372036854775807n }));',
  },
  getPet: { path: "/pets/1", client: "console.log(await pets.get(1n));" },
  listStoreOrders: { path: "/store/orders" },
};

/** A member of `x-codeSamples`. */
type CodeSample = {
  /** The name that GitHub gives to the language. */
  lang: string;
  label: string;
  source: string;
};

/** A copy of a description in which each operation has samples. */
export function withSamples(description: JsonObject): JsonObject {
  const copy = structuredClone(description);
  for (const path of Object.values(copy["paths"] as Record<string, Record<string, JsonObject>>)) {
    for (const operation of Object.values(path)) {
      operation["x-codeSamples"] = samplesOf(String(operation["operationId"]));
    }
  }
  return copy;
}

/** @throws {Error} If the operation has no samples. */
function samplesOf(operation: string): CodeSample[] {
  const request = REQUESTS[operation];
  if (!request) throw new Error(`lib/server/service/code_samples.ts has no call of ${operation}`);
  const { client } = request;
  return [
    { lang: "Shell", label: "curl", source: curl(request) },
    { lang: "JavaScript", label: "fetch", source: javaScript(request) },
    ...(client === undefined ? [] : [{ lang: "TypeScript", label: "@petstore/client", source: ownClient(client) }]),
    { lang: "Python", label: "Python", source: python(request) },
    { lang: "Go", label: "Go", source: go(request) },
    { lang: "Java", label: "Java", source: java(request) },
  ];
}

function curl({ path, body }: SampleRequest): string {
  const sent = body === undefined ? "" : ` \\\n  --json '${body}'`;
  return `curl "$PETSTORE_URL${path}" -H "Authorization: Bearer $PETSTORE_KEY"${sent}\n`;
}

function javaScript({ path, body }: SampleRequest): string {
  const type = body === undefined ? "" : ', "content-type": "application/json"';
  const sent = body === undefined ? "" : `\n  method: "POST",\n  body: '${body}',`;
  return `const { PETSTORE_URL, PETSTORE_KEY } = process.env;
const response = await fetch(\`\${PETSTORE_URL}${path}\`, {${sent}
  headers: { authorization: \`Bearer \${PETSTORE_KEY}\`${type} },
});
// JSON.parse() alone would round an int64.
const exact = (_, value, { source }) => /^-?\\d+$/.test(source) ? BigInt(source) : value;
console.log(JSON.parse(await response.text(), exact));
`;
}

function ownClient(code: string): string {
  return `import { createClient } from "@petstore/client";

const { PETSTORE_URL = "", PETSTORE_KEY = "" } = process.env;
const { pets } = createClient({ baseUrl: PETSTORE_URL, key: PETSTORE_KEY });
${code}
`;
}

function python({ path, body }: SampleRequest): string {
  const type = body === undefined ? "" : ',\n        "Content-Type": "application/json"';
  const sent = body === undefined ? "" : `\n    data=b'${body}',`;
  return `import json
import os
import urllib.request

request = urllib.request.Request(
    os.environ["PETSTORE_URL"] + "${path}",${sent}
    headers={
        "Authorization": "Bearer " + os.environ["PETSTORE_KEY"]${type},
    },
)
with urllib.request.urlopen(request) as response:
    print(json.load(response))
`;
}

function go({ path, body }: SampleRequest): string {
  const type = body === undefined ? "" : '\n\trequest.Header.Set("Content-Type", "application/json")';
  const method = body === undefined ? "GET" : "POST";
  const sent = body === undefined ? "nil" : `strings.NewReader(\`${body}\`)`;
  const usedImport = body === undefined ? "" : '\n\t"strings"';
  return `package main

import (
	"io"
	"net/http"
	"os"${usedImport}
)

func main() {
	request, err := http.NewRequest("${method}", os.Getenv("PETSTORE_URL")+"${path}", ${sent})
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("PETSTORE_KEY"))${type}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	io.Copy(os.Stdout, response.Body)
}
`;
}

function java({ path, body }: SampleRequest): string {
  const sent = body === undefined ? "" : `
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(${JSON.stringify(body)}))`;
  return `import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

class Sample {
  public static void main(String[] args) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(System.getenv("PETSTORE_URL") + "${path}"))
        .header("Authorization", "Bearer " + System.getenv("PETSTORE_KEY"))${sent}
        .build();
    var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    System.out.println(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
  }
}
`;
}
