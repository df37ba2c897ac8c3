// Lets OpenTelemetry see the modules that are imported after this one.
import { register } from "node:module";

register("@opentelemetry/instrumentation/hook.mjs", import.meta.url);
