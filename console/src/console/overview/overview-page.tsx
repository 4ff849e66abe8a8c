import { Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { api, type Answer } from '../../api/client.ts';
import { Chart, Shares } from '../../ui/charts.tsx';
import '../../ui/data-table.css';
import { isPositive, subtract, toPixelNumber } from '../../ui/decimal.ts';
import { Failure } from '../../ui/failure.tsx';
import {
  daysBefore,
  formatCount,
  formatDay,
  formatMoney,
  formatPercent,
  formatRatio,
} from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { Age, Moment, Money } from '../../ui/values.tsx';
import { usePermits } from '../session.ts';

const T = inLanguage({
  title: ['Overview', 'Überblick'],
  value: ['Value of investments', 'Wert der Investitionen'],
  investments: ['Open investments', 'Offene Investitionen'],
  users: ['Users', 'Nutzer'],
  newUsers: ['New users', 'Neue Nutzer'],
  revenue: ['Revenue', 'Einnahmen'],
  projected: ['Projected for a year', 'Hochgerechnet auf ein Jahr'],
  apy: ['Achieved yield a year', 'Erreichter Ertrag im Jahr'],
  uptime: ['Uptime', 'Verfügbarkeit'],
  queue: ['Pending withdrawals', 'Offene Auszahlungen'],
  oldest: ['oldest', 'älteste'],
  protocols: ['Value by protocol', 'Wert nach Protokoll'],
  protocol: ['Protocol', 'Protokoll'],
  usersOverTime: ['Users over time', 'Nutzer im Verlauf'],
  revenueOverTime: ['Revenue by day', 'Einnahmen je Tag'],
  asOf: ['As of', 'Stand'],
  owed: [
    (asset: string, day: string) => `Owed in ${asset} at the end of ${day}`,
    (asset: string, day: string) => `Geschuldet in ${asset} am Ende des ${day}`,
  ],
  covered: [(ratio: string) => `${ratio} covered`, (ratio: string) => `zu ${ratio} gedeckt`],
  missing: ['missing', 'es fehlen'],
  unknown: ['unknown', 'unbekannt'],
});

const PERIODS = ['24h', '7d', '30d', '90d', '1y', 'all'] as const;
type Period = (typeof PERIODS)[number];
const PERIOD = inLanguage({
  '24h': ['24 hours', '24 Stunden'],
  '7d': ['7 days', '7 Tage'],
  '30d': ['30 days', '30 Tage'],
  '90d': ['90 days', '90 Tage'],
  '1y': ['A year', 'Ein Jahr'],
  all: ['All', 'Alles'],
});

type Stats = Answer<'GET /api/admin/dashboard/stats'>['data'];
type Revenue = Answer<'GET /api/admin/dashboard/revenue'>['data'];

/** The figures of the platform at a glance, and how they have changed. */
export default function OverviewPage() {
  const [url] = useUrlState({ period: '30d', page: '1' });
  const period: Period = PERIODS.find((candidate) => candidate === url.period) ?? '30d';
  const stats = useQuery({
    queryKey: ['overview', 'stats', period],
    queryFn: async () => (await api.call('GET /api/admin/dashboard/stats', { query: { period } })).data,
    placeholderData: keepPreviousData,
  });
  const revenue = useQuery({
    queryKey: ['overview', 'revenue', period],
    queryFn: async () =>
      (await api.call('GET /api/admin/dashboard/revenue', { query: { period, breakdown: true } })).data,
    placeholderData: keepPreviousData,
  });
  const maySeeQueue = usePermits('withdrawals:read');
  const error = stats.error ?? revenue.error;
  return (
    <>
      <PageHead title={T.title}>
        {stats.data && (
          <Text size="sm" component="span">
            {T.asOf} <Moment at={stats.data.asOf} />
          </Text>
        )}
      </PageHead>
      <Tabs
        label={T.title}
        tabs={PERIODS.map((id) => ({ id, title: PERIOD[id] }))}
        selected={period}
        hrefOf={(id) => (id === '30d' ? '?' : `?period=${id}`)}
      />
      {error && <Failure error={error} />}
      {stats.data && (
        <dl className="tiles">
          <Figures stats={stats.data} />
          {maySeeQueue && <QueueTile />}
          <Coverage day={daysBefore(stats.data.asOf, 1)} />
        </dl>
      )}
      <div className="columns">
        {revenue.data && <RevenueCharts revenue={revenue.data} />}
        {stats.data && <Protocols protocols={stats.data.protocols} />}
      </div>
    </>
  );
}

function Tile({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="tile">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const percent = (value: number | null) => (value === null ? T.unknown : formatPercent(value));

function Figures({ stats: { users, investments, revenue, performance } }: { stats: Stats }) {
  return (
    <>
      <Tile name={T.value}>
        <Money amount={investments.totalValue} currency="USDC" />
      </Tile>
      <Tile name={T.investments}>{formatCount(investments.active + investments.pending)}</Tile>
      <Tile name={T.users}>{formatCount(users.total)}</Tile>
      <Tile name={T.newUsers}>{formatCount(users.new)}</Tile>
      <Tile name={T.revenue}>
        <Money amount={revenue.platformRevenue} currency="USDC" />
      </Tile>
      <Tile name={T.projected}>
        <Money amount={revenue.projectedAnnual} currency="USDC" />
      </Tile>
      <Tile name={T.apy}>{percent(performance.averageAPY)}</Tile>
      <Tile name={T.uptime}>{percent(performance.platformUptime)}</Tile>
    </>
  );
}

/** What is owed to all users and how far it is covered, as published for the closed day; nothing if the day is not closed. */
function Coverage({ day }: { day: string }) {
  const { data } = useQuery({
    queryKey: ['overview', 'coverage', day],
    queryFn: async () => (await api.call('GET /api/proofs/assets/{day}', { path: { day } })).data,
    retry: false,
  });
  const mayOpenTreasury = usePermits('transactions:read');
  const mayOpenLog = usePermits('audit:read');
  const explanation = mayOpenTreasury ? '/treasury' : mayOpenLog ? '/log?tab=days' : undefined;
  return data?.totals.map(({ asset, assets, liabilities, coverage }) => {
    const covered = coverage !== null && T.covered(formatRatio(coverage));
    const missing = subtract(liabilities, assets);
    return (
      <Tile key={asset} name={T.owed(asset, formatDay(day))}>
        <Money amount={liabilities} currency={asset} />
        <small title={`${assets} ${asset}`}>
          {covered && explanation ? <Link to={explanation}>{covered}</Link> : covered}
          {isPositive(missing) && (
            <>
              , {T.missing} <Money amount={missing} currency={asset} />
            </>
          )}
        </small>
      </Tile>
    );
  });
}

function QueueTile() {
  const { data } = useQuery({
    queryKey: ['withdrawals', 'queue-figures'],
    queryFn: async () =>
      (await api.call('GET /api/admin/withdrawals/pending', { query: { limit: 1 } })).summary,
  });
  if (!data) return null;
  return (
    <Tile name={T.queue}>
      <Link to="/withdrawals">{formatCount(data.totalPending)}</Link>
      {data.oldestPending && (
        <small>
          {T.oldest} <Age since={data.oldestPending} />
        </small>
      )}
    </Tile>
  );
}

function RevenueCharts({ revenue: { breakdown } }: { revenue: Revenue }) {
  return (
    <>
      <Chart
        title={T.usersOverTime}
        valueName={T.users}
        kind="line"
        points={breakdown.map(({ date, userCount }) => ({
          ...{ day: date, text: formatCount(userCount), height: userCount },
        }))}
      />
      <Chart
        title={T.revenueOverTime}
        valueName={T.revenue}
        kind="bars"
        points={breakdown.map((day) => ({
          ...{ day: day.date, text: `${formatMoney(day.revenue)} USDC`, height: toPixelNumber(day.revenue) },
        }))}
      />
    </>
  );
}

function Protocols({ protocols }: { protocols: Stats['protocols'] }) {
  return (
    <Shares
      title={T.protocols}
      columns={[T.protocol, T.value]}
      shares={Object.entries(protocols).map(([name, { tvl, allocation }]) => ({
        ...{ name, text: `${formatMoney(tvl)} USDC`, percent: allocation },
      }))}
    />
  );
}
