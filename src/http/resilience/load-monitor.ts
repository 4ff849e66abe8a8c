import { Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import type { Shortage } from './concurrency-limiter.js';

/** The event loop accepts one connection per turn, so long turns delay the acceptance of connections. */
const MAX_DELAY_MS = 10;

/** Detects which resource of this process is short: more concurrent requests would make all of them slower. */
@Injectable()
export class LoadMonitor {
  private readonly pool: Pool;
  private expectedAt = Infinity;
  /** Delay of the event loop at the last sample. */
  eventLoopDelayMs = 0;

  constructor(dataSource: DataSource) {
    this.pool = (dataSource.driver as unknown as { master: Pool }).master;
  }

  /** Called periodically: the delay of the event loop is the time by which a call is late. */
  sample(now: number, nextSampleInMs: number): Shortage | undefined {
    this.eventLoopDelayMs = Math.max(0, now - this.expectedAt);
    this.expectedAt = now + nextSampleInMs;
    if (this.eventLoopDelayMs > MAX_DELAY_MS) return 'processor';
    return this.pool.waitingCount > 0 ? 'connections' : undefined;
  }
}
