import { Group, NativeSelect } from '@mantine/core';
import { useRead } from '../../api/use-read.ts';
import { Chart } from '../../ui/charts.tsx';
import '../../ui/data-table.css';
import { Failure } from '../../ui/failure.tsx';
import { formatCount, formatPercent } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { Tiles } from '../../ui/tiles.tsx';
import { Moment, Money } from '../../ui/values.tsx';

const T = inLanguage({
  total: ['Users', 'Nutzer'],
  new: ['New users', 'Neue Nutzer'],
  active: ['Users with an open investment', 'Nutzer mit offener Investition'],
  retention: ['Still active', 'Weiter aktiv'],
  average: ['Invested per user', 'Je Nutzer investiert'],
  asOf: ['As of', 'Stand'],
  unknown: ['unknown', 'unbekannt'],
  interval: ['Interval', 'Einteilung'],
});
const INTERVAL = inLanguage({
  daily: ['Days', 'Tage'],
  weekly: ['Weeks', 'Wochen'],
  monthly: ['Months', 'Monate'],
});
const INTERVALS = ['daily', 'weekly', 'monthly'] as const;

interface UsersReportProps {
  range: { startDate?: string; endDate?: string };
  interval: string;
  onInterval: (interval: string) => void;
}

export function UsersReport({ range, interval: chosen, onInterval }: UsersReportProps) {
  const interval = INTERVALS.find((candidate) => candidate === chosen) ?? 'daily';
  const { data, error, refetch } = useRead(
    'GET /api/admin/reports/users',
    { query: { ...range, interval } },
    { keepPrevious: true },
  );
  if (!data) return error ? <Failure error={error} retry={() => void refetch()} /> : null;
  const { summary, dataPoints } = data.data;
  const pointsOf = (count: (point: (typeof dataPoints)[number]) => number) =>
    dataPoints.map((point) => ({
      ...{ day: point.date, text: formatCount(count(point)), height: count(point) },
    }));
  return (
    <>
      <Tiles
        of={[
          [T.total, formatCount(summary.totalUsers)],
          [T.new, formatCount(summary.newUsers)],
          [T.active, formatCount(summary.activeUsers)],
          [T.retention, summary.retentionRate === null ? T.unknown : formatPercent(summary.retentionRate)],
          [T.average, <Money key="average" amount={summary.averageInvestmentPerUser} currency="USDC" />],
          [T.asOf, <Moment key="asOf" at={summary.asOf} />],
        ]}
      />
      <Group mb="md">
        <NativeSelect
          size="xs"
          label={T.interval}
          value={interval}
          onChange={(event) => onInterval(event.currentTarget.value)}
          data={INTERVALS.map((value) => ({ value, label: INTERVAL[value] }))}
        />
      </Group>
      <div className="columns">
        <Chart
          title={T.total}
          valueName={T.total}
          kind="line"
          points={pointsOf(({ totalUsers }) => totalUsers)}
        />
        <Chart title={T.new} valueName={T.new} kind="bars" points={pointsOf(({ newUsers }) => newUsers)} />
        <Chart
          title={T.active}
          valueName={T.active}
          kind="line"
          points={pointsOf(({ activeUsers }) => activeUsers)}
        />
      </div>
    </>
  );
}
