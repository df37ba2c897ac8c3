/**
 * An OTLP receiver: it takes what exporters send over HTTP as JSON. It stands in for the OpenTelemetry Collector, which neither npm
 * nor Debian has.
 */

export type ReceivedSpan = ReturnType<typeof read>;

/** The messages, as far as the tests read them. Exporters leave out what is empty. */
interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: string | number; doubleValue?: number };
}

interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  kind: number;
  attributes?: Attribute[];
  status?: { code?: number; message?: string };
  events?: { name: string; attributes?: Attribute[] }[];
}

interface Message {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { scope: { name: string }; spans: Span[] }[];
  }[];
}

export class Receiver implements AsyncDisposable {
  readonly spans: ReceivedSpan[] = [];
  /** All that was sent, to any path. */
  text = "";
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #watchers = new Set<() => void>();

  constructor() {
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
      const text = await request.text();
      this.text += text;
      if (new URL(request.url).pathname === "/v1/traces") this.#take(JSON.parse(text));
      return Response.json({});
    });
  }

  /** The environment of a program that exports to this receiver. */
  get environment(): Record<string, string> {
    return {
      OTEL_SERVICE_NAME: "petstore",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
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

  #take({ resourceSpans }: Message): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = String(valuesOf(resource.attributes)["service.name"]);
      for (const { scope, spans } of scopeSpans) {
        this.spans.push(...spans.map((span) => read(span, scope.name, service)));
      }
    }
    for (const tell of this.#watchers) tell();
    this.#watchers.clear();
  }
}

/** By OTLP's numbers. */
const KINDS = ["unspecified", "internal", "server", "client"];

/**
 * @param scope Who made the span.
 * @param service The `service.name`.
 */
function read({ name, kind, traceId, spanId, ...span }: Span, scope: string, service: string) {
  return {
    ...{ name, kind: KINDS[kind]!, scope, service, attributes: valuesOf(span.attributes) },
    // Without a parent, it is the first span of a trace.
    ...{ traceId, spanId, parentSpanId: span.parentSpanId ?? "" },
    // The code 2 is an error.
    status: { code: span.status?.code ?? 0, message: span.status?.message ?? "" },
    events: (span.events ?? []).map((event) => ({ name: event.name, attributes: valuesOf(event.attributes) })),
  };
}

/** @throws If a key comes twice, which OTLP forbids. */
function valuesOf(attributes: Attribute[] = []): Record<string, string | number> {
  const values: Record<string, string | number> = {};
  for (const { key, value: { stringValue, intValue, doubleValue } } of attributes) {
    if (Object.hasOwn(values, key)) throw new Error(`The attribute ${key} comes twice`);
    values[key] = stringValue || (intValue === undefined ? doubleValue ?? "" : Number(intValue));
  }
  return values;
}
