import { readFileSync } from 'node:fs';
import { Clock } from '../common/clock.js';

/**
 * Real time plus the offset that stands in a file, read at every look: whoever moves the file moves the
 * domain clock of every process at once. Development only; the configuration refuses it in production.
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
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0; // not moved yet
      throw error;
    }
  }
}
