import { Badge, Group, Paper, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api, type Answer, type RequestOf } from '../../api/client.ts';
import { Chart } from '../../ui/charts.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Failure } from '../../ui/failure.tsx';
import { formatCount, formatPercent, formatUnitValue, visibleText } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { strategyText } from '../../ui/loaded-german.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Money } from '../../ui/values.tsx';
import { Actions, type DeskAction } from '../desk/actions.tsx';
import { usePermits } from '../session.ts';

const T = inLanguage({
  title: ['Strategies', 'Strategien'],
  open: ['Accepts investments', 'Nimmt Investitionen an'],
  closed: ['Suspended', 'Ausgesetzt'],
  risk: ['Risk', 'Risiko'],
  target: ['Target a year', 'Ziel im Jahr'],
  achieved: ['Achieved a year', 'Erreicht im Jahr'],
  unknown: ['not known before its first full day', 'vor dem ersten vollen Tag unbekannt'],
  value: ['Value', 'Wert'],
  investments: ['Investments so far', 'Investitionen bisher'],
  smallest: ['Smallest investment', 'Kleinste Investition'],
  largest: ['Largest investment', 'Größte Investition'],
  list: ['Show its investments', 'Ihre Investitionen anzeigen'],
  change: ['Request a change', 'Änderung beantragen'],
  effect: [
    'The request is recorded in the audit log and not applied: strategies are set by configuration.',
    'Der Antrag wird im Audit-Log festgehalten und nicht ausgeführt: Strategien werden durch Konfiguration festgelegt.',
  ],
  recorded: [
    'Recorded. Nothing has changed: strategies are set by configuration.',
    'Festgehalten. Es hat sich nichts geändert: Strategien werden durch Konfiguration festgelegt.',
  ],
  nav: ['Value of a unit, 90 days', 'Anteilswert, 90 Tage'],
  name: ['Name', 'Name'],
  minAmount: ['Smallest investment in USDC', 'Kleinste Investition in USDC'],
  maxAmount: ['Largest investment in USDC', 'Größte Investition in USDC'],
  apy: ['Target, percent a year', 'Ziel, Prozent im Jahr'],
  accepts: ['Accepts investments', 'Nimmt Investitionen an'],
});

const RISK = inLanguage({ low: ['low', 'niedrig'], medium: ['medium', 'mittel'], high: ['high', 'hoch'] });
const UNCHANGED = inLanguage({ '': ['unchanged', 'unverändert'] });
const YES_NO = { ...UNCHANGED, ...inLanguage({ true: ['yes', 'ja'], false: ['no', 'nein'] }) };

type Strategy = Answer<'GET /api/admin/strategies'>['data'][number];
type Figures = Answer<'GET /api/admin/reports/investments'>['data']['byStrategy'][number];
type Body = NonNullable<RequestOf<'PUT /api/admin/strategies/{id}'>['body']>;

/** The strategies with their terms and, for admins who may read reports, their achieved yield and value. */
export default function StrategiesPage() {
  const { data, error, refetch } = useQuery({
    queryKey: ['strategies'],
    queryFn: async () => (await api.call('GET /api/admin/strategies')).data,
  });
  const mayReadReports = usePermits('reports:read');
  const report = useQuery({
    queryKey: ['strategies', 'report'],
    queryFn: async () => (await api.call('GET /api/admin/reports/investments')).data.byStrategy,
    enabled: mayReadReports,
  });
  const mayChange = usePermits('*');
  return (
    <>
      <PageHead title={T.title} />
      {error && !data && <Failure error={error} retry={() => void refetch()} />}
      {report.error && <Failure error={report.error} retry={() => void report.refetch()} />}
      <div className="columns">
        {data?.map((strategy) => (
          <StrategyCard
            key={strategy.id}
            strategy={strategy}
            figures={report.data?.find(({ strategyId }) => strategyId === strategy.id)}
            mayChange={mayChange}
          />
        ))}
      </div>
    </>
  );
}

interface StrategyCardProps {
  strategy: Strategy;
  figures: Figures | undefined;
  mayChange: boolean;
}

function StrategyCard({ strategy, figures, mayChange }: StrategyCardProps) {
  const { id, name, description, riskLevel, apy, minAmount, maxAmount, isActive } = strategy;
  const mayReadInvestments = usePermits('investments:read');
  return (
    <Paper withBorder p="md" component="article">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          {visibleText(name)}
        </Title>
        <Badge variant="light" color={isActive ? 'green' : 'yellow'}>
          {isActive ? T.open : T.closed}
        </Badge>
      </Group>
      <p>{visibleText(strategyText(description))}</p>
      <Facts
        of={[
          [T.risk, RISK[riskLevel]],
          [T.target, formatPercent(apy)],
          [
            T.achieved,
            figures && (figures.averageAPY === null ? T.unknown : formatPercent(figures.averageAPY)),
          ],
          [T.value, figures && <Money key="value" amount={figures.tvl} currency="USDC" isExact />],
          [T.investments, figures && formatCount(figures.count)],
          [T.smallest, <Money key="smallest" amount={minAmount} currency="USDC" />],
          [T.largest, <Money key="largest" amount={maxAmount} currency="USDC" />],
        ]}
      />
      <History strategyId={id} />
      {mayReadInvestments && (
        <p>
          <Link to={`/investments?tab=all&strategy=${id}`}>{T.list}</Link>
        </p>
      )}
      {mayChange && <Actions isCompact actions={[changeOf(strategy)]} areas={['strategies']} />}
    </Paper>
  );
}

/** The value of a unit day by day. The axis begins at the lowest value, because the value changes little. */
function History({ strategyId }: { strategyId: string }) {
  const { data } = useQuery({
    queryKey: ['strategies', 'history', strategyId],
    queryFn: async () => {
      const request = { path: { id: strategyId }, query: { period: 90 as const } };
      return (await api.call('GET /api/admin/strategies/{id}/performance', request)).data;
    },
  });
  if (!data || data.series.length < 2) return null;
  const lowest = Math.min(...data.series.map(({ nav }) => nav));
  const points = data.series.map(({ date, nav }) => ({
    day: date,
    text: formatUnitValue(nav),
    height: nav - lowest,
  }));
  return <Chart title={T.nav} valueName={T.nav} kind="line" points={points} />;
}

/** A request may name any of the terms; those that it does not name stay. */
const changeOf = ({ id, name }: Strategy): DeskAction => ({
  ...{ name: 'change', label: T.change, effect: T.effect, done: T.recorded },
  facts: <Facts of={[[T.name, name]]} />,
  fields: [
    { name: 'apy', label: T.apy, kind: 'amount', isOptional: true },
    { name: 'minAmount', label: T.minAmount, kind: 'amount', isOptional: true },
    { name: 'maxAmount', label: T.maxAmount, kind: 'amount', isOptional: true },
    {
      name: 'riskLevel',
      label: T.risk,
      kind: 'choice',
      choices: { ...UNCHANGED, ...RISK },
      isOptional: true,
    },
    { name: 'isActive', label: T.accepts, kind: 'choice', choices: YES_NO, isOptional: true },
  ],
  send: async ({ isActive, riskLevel, ...terms }) => {
    const body: Body = {
      ...terms,
      ...(riskLevel ? { riskLevel: riskLevel as NonNullable<Body['riskLevel']> } : {}),
      ...(isActive ? { isActive: isActive === 'true' } : {}),
    };
    await api.call('PUT /api/admin/strategies/{id}', { path: { id }, body });
    return { color: 'yellow', message: T.recorded };
  },
});
