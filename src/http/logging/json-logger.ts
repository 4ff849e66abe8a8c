import type { LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';
import { currentTrace } from '../tracing/trace.js';

const SECRETS = /(Bearer\s+\S+|eyJ[\w-]+\.[\w-]+\.[\w-]*|whsec_[\w+/=]+|postgres(?:ql)?:\/\/[^@\s]+@|redis:\/\/[^@\s]+@|[\w.+-]+@[\w-]+\.[\w.-]+)/gi;

/** Tokens, secrets and e-mail addresses do not belong in a log, wherever in a message they stand. */
export function scrubbed(text: string): string {
  return text.replace(SECRETS, '[redacted]');
}

function scrubbedError(error: unknown): object | undefined {
  if (!(error instanceof Error)) return undefined;
  return { type: error.name, message: scrubbed(error.message), stack: scrubbed(error.stack ?? '') };
}

/** Nest's log as JSON lines, each with the trace of its request. Only known fields are written. */
export class JsonLogger implements LoggerService {
  private readonly pino: Logger;

  constructor(level: string) {
    this.pino = pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime });
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
    const entry = typeof message === 'object' && message !== null ? (message as Record<string, unknown>) : { msg: message };
    const { msg, err, ...fields } = entry;
    const error = scrubbedError(err ?? (message instanceof Error ? message : undefined));
    this.pino[level](
      { ...fields, ...currentTrace(), ...(typeof context === 'string' ? { context } : {}), ...(error ? { err: error } : {}) },
      scrubbed(String(msg ?? '')),
    );
  }
}
