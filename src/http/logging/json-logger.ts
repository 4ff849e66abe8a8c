import type { LoggerService } from '@nestjs/common';
import { pino, type DestinationStream, type Logger } from 'pino';
import { currentTrace } from '../tracing/trace.js';

const SECRETS =
  /(Bearer\s+\S+|eyJ[\w-]+\.[\w-]+\.[\w-]*|whsec_[\w+/=]+|postgres(?:ql)?:\/\/[^@\s]+@|redis:\/\/[^@\s]+@|[\w.+-]+@[\w-]+\.[\w.-]+)/gi;

/** Tokens, secrets and e-mail addresses do not belong in a log, wherever in a message they stand. */
export function scrubbed(text: string): string {
  return text.replace(SECRETS, '[redacted]');
}

function scrubbedError(error: unknown): object | undefined {
  if (!(error instanceof Error)) return undefined;
  return { type: error.name, message: scrubbed(error.message), stack: scrubbed(error.stack ?? '') };
}

/** An error is written as its name, message and stack: its own fields can hold a statement's parameters. */
function entryOf(message: unknown): { msg: string; err?: unknown } & Record<string, unknown> {
  if (message instanceof Error) return { msg: '', err: message };
  if (typeof message === 'object' && message !== null) return { msg: '', ...message };
  return { msg: String(message as string | number | boolean | undefined) };
}

/** Nest's log as JSON lines, each with the trace of its request. Only known fields are written. */
export class JsonLogger implements LoggerService {
  private readonly pino: Logger;

  constructor(level: string, destination: DestinationStream = pino.destination(1)) {
    const serializers = { err: (error: object) => error }; // it is written as it was scrubbed
    const timestamp = pino.stdTimeFunctions.isoTime;
    this.pino = pino({ level, base: undefined, timestamp, serializers }, destination);
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.write('info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  private write(level: 'info' | 'error' | 'warn' | 'debug', message: unknown, rest: unknown[]): void {
    if (!this.pino.isLevelEnabled(level)) return;
    const context = rest.at(-1);
    const { msg, err, ...fields } = entryOf(message);
    const error = scrubbedError(err);
    this.pino[level](
      {
        ...fields,
        ...currentTrace(),
        ...(typeof context === 'string' ? { context } : {}),
        ...(error ? { err: error } : {}),
      },
      scrubbed(msg),
    );
  }
}
