import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { MetricsRegistry } from './metrics-registry.js';
import { WatchedRows, type Watched } from './watched-rows.js';

type Sample = readonly [value: number, label?: string];

interface Description {
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  readonly of: (watched: Watched) => readonly Sample[];
}

const VERDICTS = ['holds', 'warning', 'broken'];

const GAUGES: readonly Description[] = [
  {
    name: 'withdrawals_open',
    help: "Withdrawals in the operators' queue.",
    label: 'status',
    of: ({ withdrawals }) => withdrawals.map(({ status, count }) => [count, status]),
  },
  {
    name: 'withdrawals_oldest_age_seconds',
    help: 'Since when the oldest of them waits; 0 where none does.',
    label: 'status',
    of: ({ withdrawals }) => withdrawals.map(({ status, oldestSeconds }) => [oldestSeconds, status]),
  },
  {
    name: 'deposits_unfinished',
    help: 'Deposits that wait for confirmations, and held ones.',
    label: 'status',
    of: ({ deposits }) => deposits.map(({ status, count }) => [count, status]),
  },
  {
    name: 'webhooks_waiting',
    help: 'Callbacks that were received and not acted upon yet.',
    of: ({ webhooks }) => [[webhooks.waiting]],
  },
  {
    name: 'webhook_lag_seconds',
    help: 'How long the oldest of them waits.',
    of: ({ webhooks }) => [[webhooks.lagSeconds]],
  },
  {
    name: 'webhooks_dead',
    help: 'Callbacks that were given up.',
    of: ({ webhooks }) => [[webhooks.dead]],
  },
  {
    name: 'nav_lag_days',
    help: 'Days since the last one that a strategy has begun; 0 when it has begun today.',
    label: 'strategy',
    of: ({ navLagDays }) => navLagDays.map(({ strategy, days }) => [days, strategy]),
  },
  {
    name: 'integrity_run_age_seconds',
    help: 'Since the last integrity run; absent before the first.',
    of: ({ integrity }) => (integrity ? [[integrity.ageSeconds]] : []),
  },
  {
    name: 'integrity_run_status',
    help: '1 for what the last integrity run found.',
    label: 'status',
    of: ({ integrity }) =>
      integrity ? VERDICTS.map((verdict) => [verdict === integrity.status ? 1 : 0, verdict]) : [],
  },
];

/** The state of the business, read at the scrape. While the database is away these are absent and `database_up` is 0. */
@Injectable()
export class BusinessMetrics {
  private readonly isUp: Gauge;
  private readonly gauges: readonly { readonly description: Description; readonly gauge: Gauge }[];

  constructor(
    { registry }: MetricsRegistry,
    private readonly rows: WatchedRows,
  ) {
    const registers = [registry];
    this.isUp = new Gauge({
      name: 'database_up',
      help: '1 when the database answered the scrape.',
      registers,
    });
    this.gauges = GAUGES.map((description) => {
      const { name, help, label } = description;
      return { description, gauge: new Gauge({ name, help, labelNames: label ? [label] : [], registers }) };
    });
  }

  /** Before the registry is printed. */
  async refresh(): Promise<void> {
    const watched = await this.rows.look();
    this.isUp.set(watched ? 1 : 0);
    for (const { description, gauge } of this.gauges) {
      if (description.label) gauge.reset();
      else gauge.remove(); // a reset would say 0
      for (const [value, word] of watched ? description.of(watched) : []) {
        if (description.label && word !== undefined) gauge.set({ [description.label]: word }, value);
        else gauge.set(value);
      }
    }
  }
}
