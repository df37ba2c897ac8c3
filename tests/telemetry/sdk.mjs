// OpenTelemetry's SDK for Node, with its instrumentation of node:http. OTEL_… variables are its settings.
import { HttpInstrumentation } from "@opentelemetry/instrumentation-http";
import { NodeSDK } from "@opentelemetry/sdk-node";

new NodeSDK({ instrumentations: [new HttpInstrumentation()] }).start();
