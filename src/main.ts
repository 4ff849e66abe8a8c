import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from './app.setup.js';
import { ConfigError, loadConfig, secretsOf, type AppConfig } from './config/app-config.js';
import { FileClock } from './config/file-clock.js';
import { VERSION } from './config/version.js';
import { DatabaseUnavailableError, waitForDatabase } from './database/database-wait.js';
import { GracefulShutdown } from './http/resilience/graceful-shutdown.js';
import { ProbeServer } from './http/resilience/probe-server.js';
import { JsonLogger } from './observability/logging/json-logger.js';
import { SystemClock } from './common/clock.js';

/** Ends the process after a signal. Before it serves requests, it ends at once. */
let end = (_signal: string): Promise<void> => process.exit(0);

/** Handles signals already while the process starts: as process 1 of a container it would not end without handlers. */
function handleSignals(): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const) {
    process.on(signal, () => {
      end(signal).catch((error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        process.exit(1);
      });
    });
  }
  // Without a handler Node would end. SIGHUP comes when a terminal closes, and asks services to read their files again, which this one
  // does without a signal.
  process.on('SIGHUP', () => new Logger('Main').log('SIGHUP: ignored'));
}

async function main(): Promise<void> {
  const config = loadConfig(process.env);
  const level = config.LOG_LEVEL === 'silent' ? 'error' : config.LOG_LEVEL; // the reason of a failed start is always logged
  Logger.overrideLogger(new JsonLogger(level, secretsOf(config)));
  handleSignals();
  await waitForDatabase(config, (line) => new Logger('Database').log(line));
  const clock = config.CLOCK_FILE ? new FileClock(config.CLOCK_FILE) : new SystemClock();
  const stopTraceExport = await startTraceExport(config);
  const app = await createApp(config, clock);
  await app.listen(config.PORT);
  const { PROBE_PORT } = config;
  const probePort = PROBE_PORT === undefined ? undefined : await app.get(ProbeServer).listen(PROBE_PORT);
  const server = app.getHttpServer() as Server;
  logStart(config, server, probePort);

  end = async (signal) => {
    end = () => Promise.resolve();
    new Logger('Main').log(`${signal}: finishing the running requests and jobs`);
    const shutdown = app.get(GracefulShutdown);
    await shutdown.announce(config.SHUTDOWN_DELAY_SECONDS);
    await shutdown.drain(server, config.SHUTDOWN_SECONDS);
    await app.close();
    await stopTraceExport?.();
    process.exit(0);
  };
}

function logStart(config: AppConfig, server: Server, probePort: number | undefined): void {
  const log = new Logger('Main');
  const { port } = server.address() as AddressInfo;
  const deposits = `/api/webhooks/${config.DEPOSIT_PROVIDER_NAME}`;
  log.log({
    msg: `listening on port ${port}`,
    port,
    probePort,
    callbackUrl: config.callbackUrl, // without the paths, which the log redacts in URLs
    callbacks: [
      `${deposits}/deposit`,
      `${deposits}/withdrawal`,
      `/api/webhooks/${config.CUSTODY_PROVIDER_NAME}/yield`,
    ],
  });
  if (config.isRehearsal) log.warn('REHEARSAL=true: simulated providers and chain; no real money is moved');
}

/** Imports the exporter only if traces are exported, because its SDK slows down the start. */
async function startTraceExport(config: AppConfig): Promise<(() => Promise<void>) | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: collector, OTEL_SERVICE_NAME: name } = config;
  if (collector === undefined) return undefined;
  const { exportTraces } = await import('./observability/trace-export.js');
  const attributes = {
    'service.name': 'stablecoin-platform',
    'service.version': VERSION,
    ...config.OTEL_RESOURCE_ATTRIBUTES,
    ...(name === undefined ? {} : { 'service.name': name }),
  };
  return exportTraces(collector, attributes, (line) => new Logger('Traces').warn(line));
}

main().catch((error: unknown) => {
  if (error instanceof DatabaseUnavailableError) new Logger('Database').error(error.message);
  else process.stderr.write(`${error instanceof ConfigError ? error.message : (error as Error).stack}\n`);
  process.exit(1);
});
