import { Group, NativeSelect } from '@mantine/core';
import { useRead } from '../../api/use-read.ts';
import { Chart, Shares } from '../../ui/charts.tsx';
import '../../ui/data-table.css';
import { toPixelNumber } from '../../ui/decimal.ts';
import { Failure } from '../../ui/failure.tsx';
import { formatMoney, formatPercent } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { Tiles } from '../../ui/tiles.tsx';
import { Moment, Money } from '../../ui/values.tsx';

const T = inLanguage({
  period: ['Period', 'Zeitraum'],
  total: ['Revenue', 'Einnahmen'],
  management: ['Management fees', 'Verwaltungsgebühren'],
  performance: ['Performance fees', 'Erfolgsgebühren'],
  projected: ['Projected for a year', 'Hochgerechnet auf ein Jahr'],
  growth: ['Against the period before', 'Gegen den Zeitraum davor'],
  unknown: ['unknown', 'unbekannt'],
  asOf: ['As of', 'Stand'],
  byDay: ['Revenue by day', 'Einnahmen je Tag'],
  byStrategy: ['Revenue by strategy', 'Einnahmen nach Strategie'],
  strategy: ['Strategy', 'Strategie'],
});
const PERIOD = inLanguage({
  '7d': ['7 days', '7 Tage'],
  '30d': ['30 days', '30 Tage'],
  '90d': ['90 days', '90 Tage'],
  '1y': ['A year', 'Ein Jahr'],
  all: ['All', 'Alles'],
});
const PERIODS = ['7d', '30d', '90d', '1y', 'all'] as const;

interface RevenueReportProps {
  period: string;
  onPeriod: (period: string) => void;
}

export function RevenueReport({ period: chosen, onPeriod }: RevenueReportProps) {
  const period = PERIODS.find((candidate) => candidate === chosen) ?? '30d';
  const { data, error, refetch } = useRead(
    'GET /api/admin/dashboard/revenue',
    { query: { period, breakdown: true } },
    { keepPrevious: true },
  );
  if (!data) return error ? <Failure error={error} retry={() => void refetch()} /> : null;
  const { summary, breakdown, byStrategy } = data.data;
  const usdc = (amount: string) => <Money key={amount} amount={amount} currency="USDC" />;
  return (
    <>
      <Group mt="md">
        <NativeSelect
          size="xs"
          label={T.period}
          value={period}
          onChange={(event) => onPeriod(event.currentTarget.value)}
          data={PERIODS.map((value) => ({ value, label: PERIOD[value] }))}
        />
      </Group>
      <Tiles
        of={[
          [T.total, usdc(summary.totalRevenue)],
          [T.management, usdc(summary.managementFees)],
          [T.performance, usdc(summary.performanceFees)],
          [T.projected, usdc(summary.projectedAnnual)],
          [T.growth, summary.revenueGrowth === null ? T.unknown : formatPercent(summary.revenueGrowth)],
          [T.asOf, <Moment key="asOf" at={summary.asOf} />],
        ]}
      />
      <div className="columns">
        <Chart
          title={T.byDay}
          valueName={T.total}
          kind="bars"
          points={breakdown.map(({ date, revenue }) => ({
            ...{ day: date, text: `${formatMoney(revenue)} USDC`, height: toPixelNumber(revenue) },
          }))}
        />
        <Shares
          title={T.byStrategy}
          columns={[T.strategy, T.total]}
          shares={byStrategy.map(({ strategyId, revenue, percentage }) => ({
            ...{ name: strategyId, text: `${formatMoney(revenue)} USDC`, percent: percentage },
          }))}
        />
      </div>
    </>
  );
}
