import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import { AppConfig } from '../../../config/app-config.js';
import { ConnectionLimits } from '../../../http/resilience/connection-limits.js';
import { LoadShedder } from '../../../http/resilience/load-shedder.js';
import { Meters, type CounterName } from '../../../observability/meters.js';
import { AdminDirectoryService } from '../../identity/admins/admin-directory.service.js';
import { LiveStateService } from '../../messaging/live/live-state.service.js';
import { MetricsRepository } from './metrics.repository.js';

interface CounterDefinition {
  readonly name: string;
  readonly help: string;
  readonly counted: CounterName;
  readonly label?: string;
  /** Values of the label that are reported as 0 before their first event: PromQL's `increase` misses the first event of a series. */
  readonly known?: readonly string[];
}

/** Metrics of this process: connection pool, requests, live delivery, whether ADMINS_FILE is readable, and counters. */
@Injectable()
export class ProcessMetricsService {
  constructor(
    private readonly registry: Registry,
    private readonly meters: Meters,
    loadShedder: LoadShedder,
    repository: MetricsRepository,
    admins: AdminDirectoryService,
    live: LiveStateService,
    connectionLimits: ConnectionLimits,
    config: AppConfig,
  ) {
    const registers = [registry];
    new Gauge({
      name: 'database_pool_connections',
      help: 'Connections of this process: total, idle, and requests that wait for one.',
      labelNames: ['state'],
      registers,
      collect() {
        const { totalCount, idleCount, waitingCount } = repository.pool;
        this.set({ state: 'total' }, totalCount);
        this.set({ state: 'idle' }, idleCount);
        this.set({ state: 'waiting' }, waitingCount);
      },
    });
    new Gauge({
      name: 'http_requests_taken_in',
      help: 'Requests in progress and in the queue, by kind of caller; probes are not counted.',
      labelNames: ['kind', 'state'],
      registers,
      collect() {
        for (const { kind, inFlight, queued } of loadShedder.state) {
          this.set({ kind, state: 'work' }, inFlight);
          this.set({ kind, state: 'waiting' }, queued);
        }
      },
    });
    this.registerGauge(
      'http_connections',
      'Open connections to the port of the API, without those of live delivery.',
      () => connectionLimits.count,
    );
    this.registerGauge(
      'admins_file_readable',
      '1 while ADMINS_FILE can be read and all its entries are valid.',
      () => (admins.isReadable ? 1 : 0),
    );
    this.registerGauge(
      'four_eyes',
      '1 if sensitive changes wait for a second admin; 0 with FOUR_EYES=off.',
      () => (config.FOUR_EYES === 'on' ? 1 : 0),
    );
    this.registerGauge(
      'rehearsal',
      '1 with REHEARSAL=true: simulated providers and a development chain instead of real money.',
      () => (config.isRehearsal ? 1 : 0),
    );
    this.registerLive(live);
    this.registerCounters(loadShedder.state.map(({ kind }) => kind));
  }

  private registerCounters(kinds: readonly string[]): void {
    this.registerCounter({
      name: 'overload_refusals_total',
      help: 'Requests rejected by load shedding, by kind of caller.',
      counted: 'overload-refusal',
      label: 'kind',
      known: kinds,
    });
    this.registerCounter({
      name: 'connections_closed_total',
      help: 'Connections closed at the limit: idle or slow ones, to admit a new one; new ones, because all are busy (full) or their address has too many.',
      counted: 'connection-closed',
      label: 'reason',
      known: ['idle', 'slow', 'full', 'address'],
    });
    this.registerCounter({
      name: 'ledger_postings_total',
      help: 'Committed postings, by type.',
      counted: 'posting',
      label: 'type',
    });
    this.registerCounter({
      name: 'idempotency_replays_total',
      help: 'Repeated requests that were answered with a stored result.',
      counted: 'idempotency-replay',
    });
    this.registerCounter({
      name: 'rate_limit_refusals_total',
      help: 'Requests above a rate limit, by rate class.',
      counted: 'rate-limit-refusal',
      label: 'class',
    });
    this.registerCounter({
      name: 'mail_attempts_total',
      help: 'Attempts to send e-mails, by result: sent, failed (and tried again), given-up.',
      counted: 'mail-attempt',
      label: 'result',
      known: ['sent', 'failed', 'given-up'],
    });
    this.registerCounter({
      name: 'second_secrets_needed_total',
      help: 'Uses of a secret from a setting X_ALSO. The setting cannot be removed while this counter grows.',
      counted: 'second-secret',
      label: 'setting',
    });
  }

  private registerLive(live: LiveStateService): void {
    this.registerGauge(
      'live_connections',
      'Open WebSocket connections of this process.',
      () => live.state.connections,
    );
    new Counter({
      name: 'live_events_delivered_total',
      help: 'Events that this process has sent to its WebSocket connections.',
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(live.state.delivered);
      },
    });
    this.registerGauge(
      'live_oldest_undelivered_milliseconds',
      'Age of the oldest event that is not delivered yet; 0 without one. Grows during a long transaction.',
      () => live.state.oldestUndeliveredMs,
    );
  }

  private registerGauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }

  private registerCounter({ name, help, counted, label, known = [] }: CounterDefinition): void {
    const { meters } = this;
    new Counter({
      name,
      help,
      labelNames: label ? [label] : [],
      registers: [this.registry],
      collect() {
        this.reset();
        if (label) for (const value of known) this.inc({ [label]: value }, 0);
        for (const [labelValue, count] of meters.readCounts(counted))
          this.inc(label ? { [label]: labelValue } : {}, count);
      },
    });
  }
}
