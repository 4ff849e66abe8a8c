import { readFileSync } from 'node:fs';
import { Clock } from '../common/clock.js';

/**
 * Real time plus an offset that is read from a file at every call, so that a change of the file moves the domain clock of
 * all processes at once. For development only; the configuration rejects it in production.
 */
export class FileClock extends Clock {
  constructor(private readonly path: string) {
    super();
  }

  now(): Date {
    return new Date(Date.now() + this.offsetMs);
  }

  override get offsetMs(): number {
    try {
      return (JSON.parse(readFileSync(this.path, 'utf8')) as { offsetMs: number }).offsetMs;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0; // no offset yet
      throw error;
    }
  }
}
