// OpenTelemetry's SDK for Node. OTEL_… variables are its settings.
import { NodeSDK } from "@opentelemetry/sdk-node";

new NodeSDK().start();
