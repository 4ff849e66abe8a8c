import { dayOf, type Day } from './days.js';

/** The one source of domain time. Token lifetimes and time-outs use real time instead. */
export abstract class Clock {
  abstract now(): Date;

  /** How far domain time was set off real time on purpose. Zero in production, where nothing may move it. */
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

/** Kept here: a test that replaces the time of the process leaves the frozen clock alone. */
const systemNow = Date.now;

/** Stands still until it is moved: for tests. */
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

/** Seconds since 1970 of real time, as tokens and signatures count them. */
export function realSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** Real time, for lifetimes that must not follow the domain clock. */
export function realNow(): Date {
  return new Date(Date.now());
}
