import { Injectable } from '@nestjs/common';

export interface MeasuredUptime {
  /** Percent of the measured minutes that the platform was up; null if there is none. */
  readonly percent: number | null;
  readonly measuredMinutes: number;
}

export type UptimeSource = (from: Date, to: Date) => Promise<MeasuredUptime>;

/** How available the platform was in a period: a port. Nothing is measured until a source is set. */
@Injectable()
export class Uptime {
  private source: UptimeSource = () => Promise.resolve({ percent: null, measuredMinutes: 0 });

  measuredBy(source: UptimeSource): void {
    this.source = source;
  }

  between(from: Date, to: Date): Promise<MeasuredUptime> {
    return this.source(from, to);
  }
}
