import type { Answer } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { Failure } from '../../ui/failure.tsx';
import { formatCount, formatPercent } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { Tiles } from '../../ui/tiles.tsx';
import { Moment, Money } from '../../ui/values.tsx';

const T = inLanguage({
  total: ['Investments so far', 'Investitionen bisher'],
  new: ['New investments', 'Neue Investitionen'],
  value: ['Value of open investments', 'Wert der offenen Investitionen'],
  average: ['Average investment', 'Durchschnittliche Investition'],
  week: ['Change of the value in 7 days', 'Änderung des Werts in 7 Tagen'],
  month: ['Change of the value in 30 days', 'Änderung des Werts in 30 Tagen'],
  asOf: ['As of', 'Stand'],
  unknown: ['unknown', 'unbekannt'],
  byStrategy: ['By strategy', 'Nach Strategie'],
  strategy: ['Strategy', 'Strategie'],
  count: ['Investments', 'Investitionen'],
  tvl: ['Value', 'Wert'],
  achieved: ['Achieved a year', 'Erreicht im Jahr'],
  target: ['Target a year', 'Ziel im Jahr'],
  none: ['There is no strategy.', 'Es gibt keine Strategie.'],
});

type Strategy = Answer<'GET /api/admin/reports/investments'>['data']['byStrategy'][number];
const percent = (value: number | null) => (value === null ? T.unknown : formatPercent(value));

const COLUMNS: readonly Column<Strategy>[] = [
  { key: 'strategy', header: T.strategy, cell: ({ strategyId }) => strategyId },
  { key: 'count', header: T.count, align: 'right', cell: ({ count }) => formatCount(count) },
  { key: 'tvl', header: T.tvl, align: 'right', cell: ({ tvl }) => <Money amount={tvl} currency="USDC" /> },
  { key: 'apy', header: T.achieved, align: 'right', cell: ({ averageAPY }) => percent(averageAPY) },
  { key: 'target', header: T.target, align: 'right', cell: ({ targetApy }) => percent(targetApy) },
];

export function InvestmentsReport({ range }: { range: { startDate?: string; endDate?: string } }) {
  const { data, error, refetch } = useRead(
    'GET /api/admin/reports/investments',
    { query: range },
    { keepPrevious: true },
  );
  if (!data) return error ? <Failure error={error} retry={() => void refetch()} /> : null;
  const { summary, byStrategy, trends } = data.data;
  return (
    <>
      <Tiles
        of={[
          [T.total, formatCount(summary.totalInvestments)],
          [T.new, formatCount(summary.newInvestments)],
          [T.value, <Money key="value" amount={summary.totalValue} currency="USDC" />],
          [T.average, <Money key="average" amount={summary.averageInvestment} currency="USDC" />],
          [T.week, percent(trends.weekOverWeek)],
          [T.month, percent(trends.monthOverMonth)],
          [T.asOf, <Moment key="asOf" at={summary.asOf} />],
        ]}
      />
      <DataTable<Strategy>
        caption={T.byStrategy}
        rows={byStrategy}
        columns={COLUMNS}
        idOf={({ strategyId }) => strategyId}
        empty={T.none}
      />
    </>
  );
}
