import { readFileSync } from 'node:fs';
import { MetricsPage } from '../harness/metrics.js';
import { IntegrityService } from '../../src/modules/integrity/integrity.service.js';
import { NavsService } from '../../src/modules/strategies/navs.service.js';
import { eventually } from '../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

// The provided Grafana dashboard and Prometheus alerts must only use metrics and labels that the service has.

interface DashboardService {
  panels: { type: string; targets?: { expr: string }[] }[];
}

const dashboard = JSON.parse(readFileSync('docker/grafana/dashboard.json', 'utf8')) as DashboardService;
const ofDashboard = dashboard.panels.flatMap(({ targets }) => (targets ?? []).map(({ expr }) => expr));
const ofAlerts = readFileSync('docker/prometheus/alerts.yml', 'utf8')
  .split(/expr: /)
  .slice(1)
  .map((rest) => (rest.split(/\n\s+(?:for|labels):/)[0] as string).replace(/^>-/, ''));

const NAME = /\b[a-z]+(?:_[a-z0-9]+)+\b/g;
const FUNCTIONS = /\b(histogram_quantile|max_over_time|min_over_time)\b/g;
const plain = (query: string) => query.replace(FUNCTIONS, '').replace(/\{[^}]*\}|\$__rate_interval/g, '');

let platform: TestPlatform;
let metrics: MetricsPage;

beforeAll(async () => {
  platform = await startPlatform();
  await platform.given.user().withBalance('10.00');
  await platform.app.get(NavsService).publishMissingNavs();
  await platform.app.get(IntegrityService).check();
  await eventually(async () => {
    metrics = await MetricsPage.fetch(platform.baseUrl);
    expect(metrics.value('http_request_duration_seconds_count')).toBeGreaterThan(0);
  });
});
afterAll(() => platform.stop());

it.each([...ofDashboard, ...ofAlerts])('existing metrics and labels are used in: %s', (query) => {
  const names = plain(query).match(NAME) ?? [];
  const declared = new Set([...metrics.text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name as string));
  const known = (name: string) => metrics.names().has(name) || declared.has(name);
  expect(names.length + (query.match(/\bup\{/) ? 1 : 0)).toBeGreaterThan(0);
  expect(names.filter((name) => !known(name))).toEqual([]);
  for (const [, label] of query.matchAll(/by \(([\w, ]+)\)/g))
    for (const each of (label as string).split(', ')) {
      const own = ['rate_limit_refusals_total', 'overload_refusals_total', 'ledger_postings_total'].some(
        (name) => query.includes(name),
      );
      if (!own) expect(metrics.labelValues(each).size).toBeGreaterThan(0);
    }
});

it('the dashboard covers the essential metrics', () => {
  const all = ofDashboard.join(' ');
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
  ])
    expect(all).toContain(name);
  expect(ofAlerts.length).toBeGreaterThan(10);
});
