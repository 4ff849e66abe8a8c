import { readFileSync } from 'node:fs';
import { DASHBOARD_FILE, RULES_FILE } from '../../fixtures/alert-rules.js';
import { MetricsPage } from '../../harness/metrics.js';
import { IntegrityService } from '../../../src/modules/assurance/integrity/integrity.service.js';
import { NavsService } from '../../../src/modules/investing/strategies/navs.service.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

// The provided Grafana dashboard and Prometheus alerts must only use metrics and labels that the service has.

interface Dashboard {
  panels: { type: string; targets?: { expr: string }[] }[];
}

const dashboard = JSON.parse(readFileSync(DASHBOARD_FILE, 'utf8')) as Dashboard;
const dashboardQueries = dashboard.panels.flatMap(({ targets }) => (targets ?? []).map(({ expr }) => expr));
const alertQueries = readFileSync(RULES_FILE, 'utf8')
  .split(/expr: /)
  .slice(1)
  .map((alert) => (alert.split(/\n\s+(?:for|labels):/)[0] as string).replace(/^>-/, ''));

const NAME = /\b[a-z]+(?:_[a-z0-9]+)+\b/g;
/** Counters that may have no sample, and therefore no labels, before the first event. */
const METRICS_WITHOUT_SAMPLES = ['rate_limit_refusals_total', 'ledger_postings_total'];
/** Functions of PromQL whose names would match NAME. */
const FUNCTIONS = /\b(histogram_quantile|max_over_time|min_over_time)\b/g;
/** The query without functions, label matchers and Grafana's variable, so that NAME matches only metrics. */
const withMetricsOnly = (query: string) =>
  query.replace(FUNCTIONS, '').replace(/\{[^}]*\}|\$__rate_interval/g, '');

let platform: TestPlatform;
let metrics: MetricsPage;

beforeAll(async () => {
  platform = await startPlatform();
  // These steps create samples, because a metric without a sample shows no labels.
  await platform.given.user().withBalance('10.00');
  await platform.app.get(NavsService).publishMissingNavs();
  await platform.app.get(IntegrityService).check();
  await eventually(async () => {
    metrics = await MetricsPage.fetch(platform.baseUrl);
    expect(metrics.value('http_request_duration_seconds_count')).toBeGreaterThan(0);
  });
});
afterAll(() => platform?.stop());

it.each([...dashboardQueries, ...alertQueries])(
  'a query of the dashboard or of an alert uses only existing metrics and grouping labels: %s',
  (query) => {
    const names = withMetricsOnly(query).match(NAME) ?? [];
    const declared = new Set([...metrics.text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name as string));
    const isServed = (name: string) => metrics.names().has(name) || declared.has(name);
    const readsUp = /\bup\{/.test(query); // `up` is a metric of Prometheus itself
    expect(names.length > 0 || readsUp).toBe(true);
    expect(names.filter((name) => !isServed(name))).toEqual([]);
    if (METRICS_WITHOUT_SAMPLES.some((name) => query.includes(name))) return;
    for (const [, labels] of query.matchAll(/by \(([\w, ]+)\)/g))
      for (const label of (labels as string).split(', '))
        expect(metrics.labelValues(label).size).toBeGreaterThan(0);
  },
);

it('each counter of an alert rule has a sample before its first event', () => {
  const counters = alertQueries.flatMap((query) => [
    ...query.matchAll(/(\w+_total)\{job="platform"(?:, (\w+)="([^"]*)")?\}\[/g),
  ]);
  expect(counters.length).toBeGreaterThan(2);
  for (const [, name, label, value] of counters)
    expect([name, metrics.value(name as string, label ? { [label]: value as string } : {})]).toEqual([
      name,
      0,
    ]);
});

it('the dashboard covers the essential metrics, and there are more than ten alerts', () => {
  const queries = dashboardQueries.join(' ');
  for (const name of [
    'http_request_duration_seconds_bucket',
    'database_pool_connections',
    'ledger_postings_total',
    'withdrawals_open',
    'deposits_unfinished',
    'webhook_lag_seconds',
    'webhooks_dead',
    'nav_lag_days',
    'integrity_run_status',
    'withdrawals_paused',
  ])
    expect(queries).toContain(name);
  expect(alertQueries.length).toBeGreaterThan(10);
});
