import { DAY_MS } from '../common/durations.js';
import { readJson, writeJson } from './json-file.js';

interface ClockSetting {
  readonly offsetMs: number;
  readonly now: string;
}

/** The service's domain clock: real time plus an offset in a file, which the API reads through CLOCK_FILE. */
export class DomainClock {
  constructor(readonly file: string) {
    if (!readJson(file)) writeJson(file, { offsetMs: 0 });
  }

  now(): Date {
    return new Date(Date.now() + this.offsetMs());
  }

  advance(days: number): ClockSetting {
    return this.moveBy(days * DAY_MS);
  }

  /** Moves to the next midnight UTC, for days that are closed when they end. */
  advanceToMidnight(): ClockSetting {
    return this.moveBy(DAY_MS - (this.now().getTime() % DAY_MS));
  }

  private moveBy(milliseconds: number): ClockSetting {
    const offsetMs = this.offsetMs() + milliseconds;
    writeJson(this.file, { offsetMs });
    return { offsetMs, now: this.now().toISOString() };
  }

  private offsetMs(): number {
    return readJson<{ offsetMs: number }>(this.file)?.offsetMs ?? 0;
  }
}
