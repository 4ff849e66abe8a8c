import { Clock } from '../common/clock.js';
import { DAY_MS } from '../common/durations.js';
import { readJson, writeJson } from './json-file.js';

interface ClockSetting {
  readonly offsetMs: number;
  readonly now: string;
}

/**
 * Real time plus an offset in a file, which the control API changes. The service reads the same file as CLOCK_FILE, by `FileClock`
 * of src/config, which the sandbox must not import.
 */
export class MovableClock extends Clock {
  constructor(readonly file: string) {
    super();
    if (!readJson(file)) writeJson(file, { offsetMs: 0 });
  }

  now(): Date {
    return new Date(Date.now() + this.offsetMs);
  }

  override get offsetMs(): number {
    return readJson<{ offsetMs: number }>(this.file)?.offsetMs ?? 0;
  }

  advanceDays(days: number): ClockSetting {
    return this.advance(days * DAY_MS);
  }

  /** Advances to the next midnight UTC. */
  advanceToMidnight(): ClockSetting {
    return this.advance(DAY_MS - (this.now().getTime() % DAY_MS));
  }

  private advance(milliseconds: number): ClockSetting {
    const offsetMs = this.offsetMs + milliseconds;
    writeJson(this.file, { offsetMs });
    return { offsetMs, now: this.now().toISOString() };
  }
}
