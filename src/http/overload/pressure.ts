import { Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';

const MOST_LATE_MS = 25;

/** Whether more work at once would only make everything slower: the processor or the database is what is waited for. */
@Injectable()
export class Pressure {
  private readonly pool: Pool;
  private due = Infinity;
  /** How late the event loop came to the last look. */
  lateMs = 0;

  constructor(dataSource: DataSource) {
    this.pool = (dataSource.driver as unknown as { master: Pool }).master;
  }

  /** A look; the next one is due in so many milliseconds. */
  isHigh(now: number, nextInMs: number): boolean {
    this.lateMs = Math.max(0, now - this.due);
    this.due = now + nextInMs;
    return this.lateMs > MOST_LATE_MS || this.pool.waitingCount > 0;
  }
}
