import { context, diag, DiagLogLevel, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { setTimeout as sleep } from 'node:timers/promises';
import { httpAddress } from '../common/http-address.js';

const SEND_EVERY_MS = 1000;
const MAX_QUEUED_SPANS = 2048; // further spans are dropped
const EXPORT_TIMEOUT_MS = 3000;
const SHUTDOWN_TIMEOUT_MS = 1000;

/**
 * Exports spans to a collector in the background, in bounded batches. If the collector does not answer, spans are dropped
 * and requests are not delayed. `attributes` describe the service. Returns a function that ends the export. Called once per process.
 */
export function exportTraces(
  collector: string,
  attributes: Record<string, string>,
  warn: (line: string) => void,
): () => Promise<void> {
  const { url, headers } = httpAddress(collector.replace(/\/$/, ''));
  const exporter = new OTLPTraceExporter({
    url: `${url}/v1/traces`,
    headers,
    timeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const processor = new BatchSpanProcessor(exporter, {
    maxQueueSize: MAX_QUEUED_SPANS,
    scheduledDelayMillis: SEND_EVERY_MS,
    exportTimeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes(attributes),
    spanProcessors: [processor],
  });
  const silent = () => undefined;
  const warnOfLostSpans = () => warn('spans could not be exported'); // the SDK's message would contain the collector's address
  diag.setLogger(
    { error: warnOfLostSpans, warn: silent, info: silent, debug: silent, verbose: silent },
    DiagLogLevel.ERROR,
  );
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  return async () => {
    await Promise.race([
      provider.shutdown().catch(silent),
      sleep(SHUTDOWN_TIMEOUT_MS, undefined, { ref: false }),
    ]);
  };
}
