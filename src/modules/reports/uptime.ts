import { Injectable } from '@nestjs/common';

/** Percent of the time from an instant to another that the platform was up; null where nothing was measured. */
export type UptimeSource = (from: Date, to: Date) => Promise<number | null>;

/** How available the platform was: a port for whoever measures it. Nothing is known until somebody does. */
@Injectable()
export class Uptime {
  private source: UptimeSource = () => Promise.resolve(null);

  measuredBy(source: UptimeSource): void {
    this.source = source;
  }

  percent(from: Date, to: Date): Promise<number | null> {
    return this.source(from, to);
  }
}
