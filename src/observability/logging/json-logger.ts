import type { LoggerService } from '@nestjs/common';
import { pino, type DestinationStream, type Logger } from 'pino';
import { currentTrace } from '../tracing/trace.js';
import { Scrubber } from './scrubber.js';
import { standardOutput } from './standard-output.js';

function entryOf(message: unknown): { msg: string } & Record<string, unknown> {
  if (message instanceof Error) return { msg: '', err: message };
  if (typeof message === 'object' && message !== null) return { msg: '', ...message };
  return { msg: String(message as string | number | boolean | undefined) };
}

/** Nest logs a line for each module, controller and route: some 500 at each start, at level debug here. */
const STARTING: ReadonlySet<unknown> = new Set([
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'WebSocketsController',
]);

/** Writes Nest's log as JSON lines with the trace of the request. Secrets are removed. */
export class JsonLogger implements LoggerService {
  private readonly pino: Logger;
  private readonly scrubber: Scrubber;

  /** `secrets` are the secret values of the configuration, which are removed from every line. */
  constructor(
    level: string,
    secrets: readonly string[] = [],
    destination: DestinationStream = standardOutput(),
  ) {
    const serializers = { err: (error: object) => error }; // errors are scrubbed already
    const timestamp = pino.stdTimeFunctions.isoTime;
    this.pino = pino({ level, base: undefined, timestamp, serializers }, destination);
    this.scrubber = new Scrubber(secrets);
  }

  log(message: unknown, ...parameters: unknown[]): void {
    this.write(STARTING.has(parameters.at(-1)) ? 'debug' : 'info', message, parameters);
  }

  error(message: unknown, ...parameters: unknown[]): void {
    this.write('error', message, parameters);
  }

  warn(message: unknown, ...parameters: unknown[]): void {
    this.write('warn', message, parameters);
  }

  debug(message: unknown, ...parameters: unknown[]): void {
    this.write('debug', message, parameters);
  }

  private write(level: 'info' | 'error' | 'warn' | 'debug', message: unknown, parameters: unknown[]): void {
    if (!this.pino.isLevelEnabled(level)) return;
    const context = parameters.at(-1); // Nest appends the name of the logger
    const { msg, ...fields } = entryOf(message);
    this.pino[level](
      {
        context: typeof context === 'string' ? context : undefined,
        ...currentTrace(),
        ...(this.scrubber.scrubValue(fields) as object),
      },
      this.scrubber.scrubText(msg),
    );
    if (level === 'error' || level === 'warn') this.pino.flush(); // the process may end before the next turn of the event loop
  }
}
