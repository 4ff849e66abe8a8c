import { dayOf, type Day } from './days.js';

/** The only source of domain time. Tokens and time-outs use real time: moving the domain clock does not end them. */
export abstract class Clock {
  abstract now(): Date;

  /** The deliberate offset of domain time from real time, set by tests and the sandbox. Zero in production. */
  get offsetMs(): number {
    return 0;
  }

  today(): Day {
    return dayOf(this.now());
  }
}

export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}

/** Saved at import, so that a test that replaces `Date.now` does not change the frozen clock's offset. */
const systemNow = Date.now;

/** A clock for tests: its time changes only through `moveTo` and `advance`. */
export class FrozenClock extends Clock {
  constructor(private instant: Date) {
    super();
  }

  now(): Date {
    return new Date(this.instant);
  }

  override get offsetMs(): number {
    return this.instant.getTime() - systemNow();
  }

  moveTo(instant: Date | string): void {
    this.instant = new Date(instant);
  }

  advance(milliseconds: number): void {
    this.instant = new Date(this.instant.getTime() + milliseconds);
  }
}

/** Real time in seconds since 1970, the unit of tokens and signatures. */
export function realSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** Real time, for lifetimes that must not follow the domain clock. Reads `Date.now`, because tests replace it. */
export function realNow(): Date {
  return new Date(Date.now());
}
