import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import type { Server } from 'node:http';
import { createApp } from './app.setup.js';
import { ConfigError, loadConfig } from './config/app-config.js';
import { FileClock } from './config/file-clock.js';
import { VERSION } from './config/version.js';
import { GracefulShutdown } from './http/resilience/graceful-shutdown.js';
import { SystemClock } from './common/clock.js';
import { WarmUpService } from './modules/health/warm-up.service.js';

async function main(): Promise<void> {
  const config = loadConfig(process.env);
  const clock = config.CLOCK_FILE ? new FileClock(config.CLOCK_FILE) : new SystemClock();
  const collector = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  const endTraces = collector ? await traceTo(collector) : undefined;
  const app = await createApp(config, clock);
  await app.get(WarmUpService).warmUp();
  await app.listen(config.PORT);
  const server = app.getHttpServer() as Server;

  let ending = false;
  const end = async (signal: string): Promise<void> => {
    if (ending) return;
    ending = true;
    process.stdout.write(`${signal}: finishing what is running\n`);
    await app.get(GracefulShutdown).drain(server, config.SHUTDOWN_SECONDS);
    await app.close();
    await endTraces?.();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      end(signal).catch((error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        process.exit(1);
      });
    });
  }
}

/** Imported only if traces are exported, because the SDK slows down the start. */
async function traceTo(collector: string): Promise<() => Promise<void>> {
  const { exportTraces } = await import('./observability/trace-export.js');
  return exportTraces(collector, VERSION, (line) => new Logger('Traces').warn(line));
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof ConfigError ? error.message : (error as Error).stack}\n`);
  process.exit(1);
});
