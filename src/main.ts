import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import type { Server } from 'node:http';
import { createApp } from './app.setup.js';
import { ConfigError, loadConfig } from './config/app-config.js';
import { FileClock } from './config/file-clock.js';
import { VERSION } from './config/version.js';
import { GracefulShutdown } from './http/resilience/graceful-shutdown.js';
import { SystemClock } from './common/clock.js';

async function main(): Promise<void> {
  const config = loadConfig(process.env);
  const clock = config.CLOCK_FILE ? new FileClock(config.CLOCK_FILE) : new SystemClock();
  const collector = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  const stopTraceExport = collector ? await startTraceExport(collector) : undefined;
  const app = await createApp(config, clock);
  await app.listen(config.PORT);
  const server = app.getHttpServer() as Server;

  let isShuttingDown = false;
  const shutDown = async (signal: string): Promise<void> => {
    if (isShuttingDown) return;
    isShuttingDown = true;
    new Logger('Main').log(`${signal}: finishing the running requests and jobs`);
    await app.get(GracefulShutdown).drain(server, config.SHUTDOWN_SECONDS);
    await app.close();
    await stopTraceExport?.();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      shutDown(signal).catch((error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        process.exit(1);
      });
    });
  }
}

/** Imports the exporter only if traces are exported, because its SDK slows down the start. */
async function startTraceExport(collector: string): Promise<() => Promise<void>> {
  const { exportTraces } = await import('./observability/trace-export.js');
  return exportTraces(collector, VERSION, (line) => new Logger('Traces').warn(line));
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof ConfigError ? error.message : (error as Error).stack}\n`);
  process.exit(1);
});
