import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { isSameText } from '../../../common/constant-time.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { AppConfig } from '../../../config/app-config.js';
import { ConnectionLimits } from '../../../http/resilience/connection-limits.js';
import { LoadShedder } from '../../../http/resilience/load-shedder.js';
import { ServedRequests, type ServedRequest } from '../../../http/response/served-requests.js';
import { Meters, type CounterName } from '../../../observability/meters.js';
import { SecondSecrets } from '../../../observability/second-secrets.js';
import { AdminDirectoryService } from '../../identity/admins/admin-directory.service.js';
import { EventDeliveryService } from '../../messaging/live/event-delivery.service.js';
import { BusinessMetricsService } from './business-metrics.service.js';
import { MetricsRepository } from './metrics.repository.js';

const BEARER = /^Bearer (\S+)$/i;

/** Renders the page for Prometheus. */
@Injectable()
export class MetricsService {
  constructor(
    private readonly config: AppConfig,
    private readonly registry: Registry,
    private readonly business: BusinessMetricsService,
    private readonly secondSecrets: SecondSecrets,
  ) {}

  async renderPage(authorization: string | undefined): Promise<string> {
    this.requireAccess(authorization);
    await this.business.refreshGauges();
    return this.registry.metrics();
  }

  /**
   * If METRICS_TOKEN is set, requires it or METRICS_TOKEN_ALSO. Without METRICS_TOKEN the page does not exist in production and
   * is public elsewhere.
   */
  private requireAccess(authorization: string | undefined): void {
    const { METRICS_TOKEN: token, METRICS_TOKEN_ALSO: second, isProduction } = this.config;
    if (!token) {
      if (isProduction) throwError('NOT_FOUND');
      return;
    }
    const [, bearer] = BEARER.exec(authorization ?? '') ?? [];
    if (!bearer) throwError('TOKEN_MISSING');
    if (isSameText(bearer, token)) return;
    if (second === undefined || !isSameText(bearer, second)) throwError('TOKEN_INVALID');
    this.secondSecrets.recordUse('METRICS_TOKEN_ALSO');
  }
}

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
    live: EventDeliveryService,
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

  private registerLive(live: EventDeliveryService): void {
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

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const OTHER = 'other';
const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

/** Measures requests by their route template, not by their path, since the number of label values must be bounded. */
@Injectable()
export class RequestMetricsListener {
  private readonly durations: Histogram<'method' | 'route' | 'status'>;
  private readonly failures: Counter;

  constructor(registry: Registry, served: ServedRequests) {
    this.durations = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Requests by method, route template and status; status is broken-off if the response was not sent completely.',
      labelNames: ['method', 'route', 'status'],
      buckets: BUCKETS_SECONDS,
      registers: [registry],
    });
    this.failures = new Counter({
      name: 'http_request_failures_total',
      help: 'Requests answered with 5xx, except for answers that are no failures, such as PROOF_PENDING, and for load shedding without a token.',
      registers: [registry],
    });
    served.subscribe((request) => this.observeRequest(request));
  }

  private observeRequest({
    method,
    route,
    status,
    isComplete,
    isFailure,
    isAnonymousRefusal,
    milliseconds,
  }: ServedRequest): void {
    if (isComplete && isFailure && !isAnonymousRefusal) this.failures.inc();
    this.durations.observe(
      {
        method: METHODS.has(method) ? method : OTHER,
        route: route ?? OTHER,
        status: isComplete ? String(status) : 'broken-off',
      },
      milliseconds / 1000,
    );
  }
}
