import { Injectable, Logger } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { Clock } from '../../../common/clock.js';
import { EventConsumers } from '../../../events/event-consumers.js';
import { MetricsRepository, type BusinessFigures } from './metrics.repository.js';

const CACHE_MS = 5000;
const TIMEOUT_MS = 1000;

type Sample = readonly [value: number, labelValue?: string];

interface GaugeDefinition {
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  readonly samplesOf: (figures: BusinessFigures) => readonly Sample[];
}

const INTEGRITY_STATUSES = ['holds', 'warning', 'broken'];

const GAUGES: readonly GaugeDefinition[] = [
  {
    name: 'withdrawals_open',
    help: "Withdrawals in the operators' queue.",
    label: 'status',
    samplesOf: ({ withdrawals }) => withdrawals.map(({ status, count }) => [count, status]),
  },
  {
    name: 'withdrawals_oldest_age_seconds',
    help: "Age of the oldest withdrawal in the operators' queue; 0 without any.",
    label: 'status',
    samplesOf: ({ withdrawals }) => withdrawals.map(({ status, oldestSeconds }) => [oldestSeconds, status]),
  },
  {
    name: 'payments_mismatched',
    help: 'Completed withdrawals, and transactions by hand, whose payment the chain refutes.',
    label: 'kind',
    samplesOf: ({ mismatches }) => mismatches.map(({ kind, count }) => [count, kind]),
  },
  {
    name: 'withdrawals_paused',
    help: '1 while withdrawals are paused, by the integrity check or by an admin.',
    samplesOf: ({ withdrawalsPaused }) => [[withdrawalsPaused ? 1 : 0]],
  },
  {
    name: 'deposits_unfinished',
    help: 'Deposits that are waiting for confirmations, and held ones.',
    label: 'status',
    samplesOf: ({ deposits }) => deposits.map(({ status, count }) => [count, status]),
  },
  {
    name: 'webhooks_waiting',
    help: 'Callbacks that were received and not processed yet.',
    samplesOf: ({ webhooks }) => [[webhooks.waiting]],
  },
  {
    name: 'webhook_lag_seconds',
    help: 'Age of the oldest callback that is not processed yet; 0 without any.',
    samplesOf: ({ webhooks }) => [[webhooks.lagSeconds]],
  },
  {
    name: 'webhooks_dead',
    help: 'Callbacks that failed and are not retried.',
    samplesOf: ({ webhooks }) => [[webhooks.dead]],
  },
  {
    name: 'nav_lag_days',
    help: 'Days since the last day that was begun for a strategy; 0 if today was begun.',
    label: 'strategy',
    samplesOf: ({ navLagDays }) => navLagDays.map(({ strategy, days }) => [days, strategy]),
  },
  {
    name: 'integrity_run_age_seconds',
    help: 'Age of the last integrity run; absent before the first.',
    samplesOf: ({ integrity }) => (integrity ? [[integrity.ageSeconds]] : []),
  },
  {
    name: 'integrity_run_status',
    help: '1 for the status of the last integrity run.',
    label: 'status',
    samplesOf: ({ integrity }) =>
      integrity ? INTEGRITY_STATUSES.map((status) => [status === integrity.status ? 1 : 0, status]) : [],
  },
  {
    name: 'log_unsealed_age_seconds',
    help: 'Age of the oldest ledger transaction that is not in the transparency log; 0 without any.',
    samplesOf: ({ unsealedSeconds }) => [[unsealedSeconds]],
  },
  {
    name: 'liabilities_unclosed_days',
    help: 'Days that are over and whose liabilities are not in the log; absent before the first checkpoint.',
    samplesOf: ({ unclosedDays }) => (unclosedDays === null ? [] : [[unclosedDays]]),
  },
  {
    name: 'event_consumer_lag_seconds',
    help: 'Age of the oldest event that a consumer has not handled; 0 without any.',
    label: 'consumer',
    samplesOf: ({ eventBacklogs }) => eventBacklogs.map(({ consumer, lagSeconds }) => [lagSeconds, consumer]),
  },
  {
    name: 'event_failures',
    help: 'Events that a consumer could not handle and has passed over.',
    label: 'consumer',
    samplesOf: ({ eventBacklogs }) => eventBacklogs.map(({ consumer, failures }) => [failures, consumer]),
  },
];

/**
 * Gauges of business figures, read at the scrape. There is at most one statement per five seconds, and a scrape waits for it
 * for at most one second. While the database does not answer, the gauges are absent and `database_up` is 0.
 */
@Injectable()
export class BusinessMetricsService {
  private readonly log = new Logger('Metrics');
  private readonly isUp: Gauge;
  private readonly gauges: readonly { readonly definition: GaugeDefinition; readonly gauge: Gauge }[];
  private query: Promise<BusinessFigures | undefined> | undefined;
  private cached: { readonly figures: BusinessFigures | undefined; readonly expiresAt: number } | undefined;

  constructor(
    registry: Registry,
    private readonly repository: MetricsRepository,
    private readonly clock: Clock,
    private readonly consumers: EventConsumers,
  ) {
    const registers = [registry];
    this.isUp = new Gauge({ name: 'database_up', help: '1 if the database answered the scrape.', registers });
    this.gauges = GAUGES.map((definition) => {
      const { name, help, label } = definition;
      return { definition, gauge: new Gauge({ name, help, labelNames: label ? [label] : [], registers }) };
    });
  }

  /** Sets the gauges to the current figures. Must be called before the registry is rendered. */
  async refreshGauges(): Promise<void> {
    const figures = await this.findCurrentFigures();
    this.isUp.set(figures ? 1 : 0);
    for (const { definition, gauge } of this.gauges) {
      if (definition.label) gauge.reset();
      else gauge.remove(); // reset() would set it to 0
      for (const [value, labelValue] of figures ? definition.samplesOf(figures) : []) {
        if (definition.label && labelValue !== undefined)
          gauge.set({ [definition.label]: labelValue }, value);
        else gauge.set(value);
      }
    }
  }

  /** Undefined if the database does not answer in time. */
  private async findCurrentFigures(): Promise<BusinessFigures | undefined> {
    if (this.cached && performance.now() < this.cached.expiresAt) return this.cached.figures;
    this.query ??= this.findFigures().finally(() => (this.query = undefined));
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, TIMEOUT_MS, undefined)));
    const figures = await Promise.race([this.query, timeout]);
    clearTimeout(timer);
    return figures;
  }

  private async findFigures(): Promise<BusinessFigures | undefined> {
    const figures = await this.repository
      .findBusinessFigures(this.clock.now(), this.clock.today(), this.consumers.cursorNames)
      .catch((error: unknown) => {
        this.log.warn({ msg: 'the database did not answer a scrape', err: error });
        return undefined;
      });
    this.cached = { figures, expiresAt: performance.now() + CACHE_MS };
    return figures;
  }
}
