/**
 * An OTLP receiver: it takes what exporters send over HTTP as protobuf, and decodes it with the messages of OpenTelemetry's own
 * package. It stands in for the OpenTelemetry Collector, which neither npm nor Debian has.
 */

import root from "@opentelemetry/otlp-transformer/build/src/generated/root.js";

export interface ReceivedSpan {
  name: string;
  traceId: string;
  spanId: string;
  /** `""` for the first span of a trace. */
  parentSpanId: string;
  /** `server`, `client` or `internal`. */
  kind: string;
  attributes: Record<string, string | number>;
  /** 2 is an error. */
  status: { code: number; message: string };
  events: { name: string; attributes: Record<string, string | number> }[];
  /** Who made the span. */
  scope: string;
  /** The `service.name`. */
  service: string;
}

/** The messages, as far as the tests read them. */
interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: string; doubleValue?: number };
}

interface Request {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      scope: { name: string };
      spans: (Omit<ReceivedSpan, "attributes" | "events" | "scope" | "service"> & {
        attributes: Attribute[];
        events: { name: string; attributes: Attribute[] }[];
      })[];
    }[];
  }[];
}

interface Message {
  decode(bytes: Uint8Array): unknown;
  toObject(message: unknown, options: object): Request;
}

const MESSAGE: Message =
  (root as unknown as { opentelemetry: { proto: { collector: { trace: { v1: Record<string, Message> } } } } })
    .opentelemetry.proto.collector.trace.v1["ExportTraceServiceRequest"]!;

const PLAIN = { longs: String, enums: String, bytes: String, defaults: true };

export class Receiver implements AsyncDisposable {
  readonly spans: ReceivedSpan[] = [];
  /** All that was sent, to any path, byte for byte. */
  text = "";
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #watchers = new Set<() => void>();

  constructor() {
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
      const bytes = await request.bytes();
      this.text += new TextDecoder("latin1").decode(bytes);
      if (new URL(request.url).pathname === "/v1/traces") this.#take(bytes);
      return new Response(null, { headers: { "content-type": "application/x-protobuf" } });
    });
  }

  /** The environment of a program that exports to this receiver. */
  get environment(): Record<string, string> {
    return {
      OTEL_SERVICE_NAME: "petstore",
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${this.#server.addr.port}`,
    };
  }

  /** Resolves when such a span has come. */
  async received(isWanted: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan> {
    for (;;) {
      const found = this.spans.find(isWanted);
      if (found) return found;
      await new Promise<void>((resolve) => this.#watchers.add(resolve));
    }
  }

  /** The span of this name. Fails unless there is exactly one. */
  only(name: string): ReceivedSpan {
    const [found, ...others] = this.spans.filter((span) => span.name === name);
    if (found && others.length === 0) return found;
    throw new Error(`${others.length + (found ? 1 : 0)} spans are named ${name}: ${this.names().join(", ")}`);
  }

  /** The names of all spans, with that of the parent before each, in order. */
  names(): string[] {
    const name = (id: string) => this.spans.find(({ spanId }) => spanId === id)?.name;
    return this.spans.map((span) => [name(span.parentSpanId), span.name].filter(Boolean).join(" → ")).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  #take(bytes: Uint8Array): void {
    for (const { resource, scopeSpans } of MESSAGE.toObject(MESSAGE.decode(bytes), PLAIN).resourceSpans) {
      const service = String(valuesOf(resource.attributes)["service.name"]);
      for (const { scope, spans } of scopeSpans) {
        this.spans.push(...spans.map((span) => read(span, scope.name, service)));
      }
    }
    for (const tell of this.#watchers) tell();
    this.#watchers.clear();
  }
}

function read(
  span: Request["resourceSpans"][0]["scopeSpans"][0]["spans"][0],
  scope: string,
  service: string,
): ReceivedSpan {
  const { name, status } = span;
  const kind = span.kind.replace("SPAN_KIND_", "").toLowerCase();
  return {
    ...{ name, kind, scope, service, attributes: valuesOf(span.attributes) },
    ...{ traceId: hex(span.traceId), spanId: hex(span.spanId), parentSpanId: hex(span.parentSpanId) },
    status: { code: Number(STATUS_CODES[status?.code ?? ""] ?? 0), message: status?.message ?? "" },
    events: span.events.map((event) => ({ name: event.name, attributes: valuesOf(event.attributes) })),
  };
}

const STATUS_CODES: Record<string, number> = { STATUS_CODE_UNSET: 0, STATUS_CODE_OK: 1, STATUS_CODE_ERROR: 2 };

/** @throws If a key comes twice, which OTLP forbids. */
function valuesOf(attributes: Attribute[]): Record<string, string | number> {
  const values: Record<string, string | number> = {};
  for (const { key, value: { stringValue, intValue, doubleValue } } of attributes) {
    if (Object.hasOwn(values, key)) throw new Error(`The attribute ${key} comes twice`);
    values[key] = stringValue || (intValue === undefined ? doubleValue ?? "" : Number(intValue));
  }
  return values;
}

/** From base64. */
function hex(bytes: string): string {
  return Uint8Array.fromBase64(bytes).toHex();
}
