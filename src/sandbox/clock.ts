import { DAY_MS } from '../common/durations.js';
import { readJson, writeJson } from './json-file.js';

/** The service's domain clock: real time plus an offset in a file, which the API reads through CLOCK_FILE. */
export class DomainClock {
  constructor(readonly file: string) {
    if (!readJson(file)) writeJson(file, { offsetMs: 0 });
  }

  now(): Date {
    return new Date(Date.now() + this.offsetMs());
  }

  advance(days: number): { offsetMs: number; now: string } {
    const offsetMs = this.offsetMs() + days * DAY_MS;
    writeJson(this.file, { offsetMs });
    return { offsetMs, now: this.now().toISOString() };
  }

  private offsetMs(): number {
    return readJson<{ offsetMs: number }>(this.file)?.offsetMs ?? 0;
  }
}
