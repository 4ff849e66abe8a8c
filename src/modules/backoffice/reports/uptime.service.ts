import { Injectable } from '@nestjs/common';

export interface MeasuredUptime {
  /** Percent of the measured minutes in which the platform was up; null without measured minutes. */
  readonly percent: number | null;
  readonly measuredMinutes: number;
}

export type UptimeSource = (from: Date, to: Date) => Promise<MeasuredUptime>;

/** A port to the higher module `sla`, which measures the uptime and registers itself as the source. */
@Injectable()
export class UptimeService {
  private source: UptimeSource = () => Promise.resolve({ percent: null, measuredMinutes: 0 });

  setSource(source: UptimeSource): void {
    this.source = source;
  }

  /** Both times are in real time, not in domain time. */
  getUptime(from: Date, to: Date): Promise<MeasuredUptime> {
    return this.source(from, to);
  }
}
