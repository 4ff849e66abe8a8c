import { Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import type { Shortage } from './concurrency-limiter.js';

const MOST_LATE_MS = 10; // a connection is accepted at each turn of the loop, and no more: it has to turn often

/** What is short in this process, so that more work at once would only make everything slower. */
@Injectable()
export class LoadMonitor {
  private readonly pool: Pool;
  private due = Infinity;
  /** How late the event loop came to the last look. */
  eventLoopDelayMs = 0;

  constructor(dataSource: DataSource) {
    this.pool = (dataSource.driver as unknown as { master: Pool }).master;
  }

  /** A look; the next one is due in so many milliseconds. */
  look(now: number, nextInMs: number): Shortage | undefined {
    this.eventLoopDelayMs = Math.max(0, now - this.due);
    this.due = now + nextInMs;
    if (this.eventLoopDelayMs > MOST_LATE_MS) return 'processor';
    return this.pool.waitingCount > 0 ? 'connections' : undefined;
  }
}
