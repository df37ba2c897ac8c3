/**
 * The OpenAPI description of a petstore that the standalone server serves, and the samples of code
 * that it can have. The samples send a request, in several languages. They stand in the extension
 * `x-codeSamples`, which documentation platforms show. Each reads the address of the API and the
 * key from the environment.
 */

import type { JsonObject } from "../../operations/json_types.ts";
import { describe, type OpenApiServer } from "../../openapi/describe.ts";
import type { CheckedOptions } from "../../petstore/checked_options.ts";
import { INVALID_HOST, MALFORMED, NOT_SERVING, UNREADABLE } from "./errors.ts";

/** The codes of failures that a request may have before its operation is known. */
const REFUSAL_CODES = [INVALID_HOST, MALFORMED, ...Object.values(UNREADABLE), NOT_SERVING].map(({ code }) => code);

/** @param servers The addresses that the description names. If there are none, it names that of the petstore itself. */
export function describeServer(settings: CheckedOptions, servers: readonly OpenApiServer[] = []): JsonObject {
  return describe(settings, servers.length > 0 ? servers : undefined, REFUSAL_CODES);
}

/** A copy of a description in which each operation has samples. */
export function withSamples(description: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(description), (_, value) => {
    const operation = value?.operationId;
    return operation === undefined ? value : { ...value, "x-codeSamples": samplesOf(operation) };
  });
}

/** The request that the samples of an operation send. It is a POST if it has a body, and otherwise a GET. */
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

/** A sample, as documentation platforms read it from the list `x-codeSamples`. */
type CodeSample = {
  /** The name that GitHub gives to the language. */
  lang: string;
  label: string;
  source: string;
};

/** @throws {Error} If the operation has no samples. */
function samplesOf(operation: string): CodeSample[] {
  const request = REQUESTS[operation];
  if (!request) throw new Error(`lib/server/serving/description.ts has no sample of ${operation}`);
  return TEMPLATES
    .filter(({ source }) => request.client !== undefined || !source.includes("<client>"))
    .map((template) => ({ ...template, source: fill(template.source, request) }));
}

/** Makes the source of a sample. {@link TEMPLATES} says what a template is. */
function fill(template: string, { path, body, client = "" }: SampleRequest): string {
  const otherMethod = body === undefined ? "+" : "-";
  const lines = template.split("\n").slice(1).filter((line) => !line.startsWith(otherMethod));
  return lines.map((line) => line.slice(1)).join("\n")
    .replace("<path>", path)
    .replace("<body>", body ?? "")
    .replace("<quoted body>", JSON.stringify(body))
    .replace("<client>", client);
}

/**
 * The samples of each language. As in a diff, the first character of a line says when it is a part
 * of the source: a plus means for a POST alone, a minus for a GET alone, and a space for both. The
 * texts in angle brackets stand for parts of the request.
 */
const TEMPLATES: readonly CodeSample[] = [
  {
    lang: "Shell",
    label: "curl",
    source: `
-curl "$PETSTORE_URL<path>" -H "Authorization: Bearer $PETSTORE_KEY"
+curl "$PETSTORE_URL<path>" -H "Authorization: Bearer $PETSTORE_KEY" \\
+  --json '<body>'
`,
  },
  {
    lang: "JavaScript",
    label: "fetch",
    source: `
 const { PETSTORE_URL, PETSTORE_KEY } = process.env;
 const response = await fetch(\`\${PETSTORE_URL}<path>\`, {
+  method: "POST",
+  body: '<body>',
+  headers: { authorization: \`Bearer \${PETSTORE_KEY}\`, "content-type": "application/json" },
-  headers: { authorization: \`Bearer \${PETSTORE_KEY}\` },
 });
 // JSON.parse() alone would round an int64.
 const exact = (_, value, { source }) => /^-?\\d+$/.test(source) ? BigInt(source) : value;
 console.log(JSON.parse(await response.text(), exact));
`,
  },
  {
    lang: "TypeScript",
    label: "@petstore/client",
    source: `
 import { createClient } from "@petstore/client";

 const { PETSTORE_URL = "", PETSTORE_KEY = "" } = process.env;
 const { pets } = createClient({ baseUrl: PETSTORE_URL, key: PETSTORE_KEY });
 <client>
`,
  },
  {
    lang: "Python",
    label: "Python",
    source: `
 import json
 import os
 import urllib.request

 request = urllib.request.Request(
     os.environ["PETSTORE_URL"] + "<path>",
+    data=b'<body>',
     headers={
         "Authorization": "Bearer " + os.environ["PETSTORE_KEY"],
+        "Content-Type": "application/json",
     },
 )
 with urllib.request.urlopen(request) as response:
     print(json.load(response))
`,
  },
  {
    lang: "Go",
    label: "Go",
    source: `
 package main

 import (
 	"io"
 	"net/http"
 	"os"
+	"strings"
 )

 func main() {
-	request, err := http.NewRequest("GET", os.Getenv("PETSTORE_URL")+"<path>", nil)
+	request, err := http.NewRequest("POST", os.Getenv("PETSTORE_URL")+"<path>", strings.NewReader(\`<body>\`))
 	if err != nil {
 		panic(err)
 	}
 	request.Header.Set("Authorization", "Bearer "+os.Getenv("PETSTORE_KEY"))
+	request.Header.Set("Content-Type", "application/json")
 	response, err := http.DefaultClient.Do(request)
 	if err != nil {
 		panic(err)
 	}
 	defer response.Body.Close()
 	io.Copy(os.Stdout, response.Body)
 }
`,
  },
  {
    lang: "Java",
    label: "Java",
    source: `
 import java.net.URI;
 import java.net.http.HttpClient;
 import java.net.http.HttpRequest;
 import java.net.http.HttpResponse;

 class Sample {
   public static void main(String[] args) throws Exception {
     var request = HttpRequest.newBuilder(URI.create(System.getenv("PETSTORE_URL") + "<path>"))
         .header("Authorization", "Bearer " + System.getenv("PETSTORE_KEY"))
+        .header("Content-Type", "application/json")
+        .POST(HttpRequest.BodyPublishers.ofString(<quoted body>))
         .build();
     var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
     System.out.println(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
   }
 }
`,
  },
];
