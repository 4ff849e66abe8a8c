import { Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { Counter, Gauge } from 'prom-client';
import { DataSource } from 'typeorm';
import { LoadShedder } from '../../http/resilience/load-shedder.js';
import { Meters, type Counted } from '../../observability/meters.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import { MetricsRegistry } from './metrics-registry.js';

/** What this process knows by itself: its connections, and what lower rooms have counted. */
@Injectable()
export class ProcessMetrics {
  constructor(
    private readonly metrics: MetricsRegistry,
    private readonly meters: Meters,
    loadShedder: LoadShedder,
    dataSource: DataSource,
    admins: AdminDirectoryService,
  ) {
    const registers = [metrics.registry];
    new Gauge({
      name: 'database_pool_connections',
      help: 'Connections of this process: total, idle, and requests waiting for one.',
      labelNames: ['state'],
      registers,
      collect() {
        const pool = (dataSource.driver as unknown as { master: Pool }).master;
        this.set({ state: 'total' }, pool.totalCount);
        this.set({ state: 'idle' }, pool.idleCount);
        this.set({ state: 'waiting' }, pool.waitingCount);
      },
    });
    new Gauge({
      name: 'http_requests_taken_in',
      help: 'Requests in work, and waiting for their turn, by kind of caller; probes are not counted.',
      labelNames: ['kind', 'state'],
      registers,
      collect() {
        for (const { kind, inFlight, queued } of loadShedder.state) {
          this.set({ kind, state: 'work' }, inFlight);
          this.set({ kind, state: 'waiting' }, queued);
        }
      },
    });
    new Gauge({
      name: 'admins_file_readable',
      help: '1 while ADMINS_FILE can be read and every entry of it is valid.',
      registers,
      collect() {
        this.set(admins.isReadable ? 1 : 0);
      },
    });
    this.counter(
      'overload_refusals_total',
      'Requests refused because there were too many at once, by kind of caller.',
      'overload-refusal',
      'kind',
    );
    this.counter('ledger_postings_total', 'Postings that were committed, by type.', 'posting', 'type');
    this.counter(
      'idempotency_replays_total',
      'Requests answered as their first one was.',
      'idempotency-replay',
    );
    this.counter(
      'rate_limit_refusals_total',
      'Requests above a limit, by class.',
      'rate-limit-refusal',
      'class',
    );
    this.counter(
      'second_secrets_needed_total',
      'How often a secret of a setting X_ALSO was needed; while this grows it can not be removed.',
      'second-secret',
      'setting',
    );
  }

  private counter(name: string, help: string, what: Counted, label?: string): void {
    const { meters } = this;
    new Counter({
      name,
      help,
      labelNames: label ? [label] : [],
      registers: [this.metrics.registry],
      collect() {
        this.reset();
        for (const [word, count] of meters.of(what)) this.inc(label ? { [label]: word } : {}, count);
      },
    });
  }
}
