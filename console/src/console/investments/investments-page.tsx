import { Badge, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, type Answer } from '../../api/client.ts';
import { useQueues } from '../../api/queues.ts';
import type { Column } from '../../ui/data-table.tsx';
import { parseTyped } from '../../ui/typed-decimal.ts';
import { formatCount } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { choiceOf, isId, ListPage, orderOf, type ListUrl } from '../../ui/list-page.tsx';
import { Age, Moment, Money } from '../../ui/values.tsx';
import { SCREENING } from '../withdrawals/state-badges.tsx';
import { InvestmentState } from './investment-state.tsx';
import { STATUS } from './texts.ts';

const T = inLanguage({
  title: ['Investments', 'Investitionen'],
  user: ['User', 'Nutzer'],
  strategy: ['Strategy', 'Strategie'],
  allStrategies: ['All', 'Alle'],
  amount: ['Amount', 'Betrag'],
  value: ['Value', 'Wert'],
  valueOfAll: [(count: string) => `Value of all ${count}:`, (count: string) => `Wert aller ${count}:`],
  growth: ['Growth', 'Ertrag'],
  state: ['State', 'Zustand'],
  age: ['Age', 'Alter'],
  created: ['Created', 'Angelegt'],
  risk: ['Risk', 'Risiko'],
  fits: ['Fits the risk profile', 'Passt zum Risikoprofil'],
  exceeds: ['Above the risk profile', 'Über dem Risikoprofil'],
  noProfile: ['No risk profile', 'Kein Risikoprofil'],
  screening: ['Screening', 'Prüfung'],
  minAmount: ['From amount', 'Ab Betrag'],
  since: ['Created from', 'Angelegt ab'],
  userId: ['Id of the user', 'Id des Nutzers'],
  sum: ['Sum', 'Summe'],
  oldest: ['oldest', 'älteste'],
  empty: ['No investment is here.', 'Hier ist keine Investition.'],
});

type Listed = Answer<'GET /api/admin/investments'>['data'][number];
type Queued = Answer<'GET /api/admin/investments/pending'>['data'][number];
type Row = Listed | Queued;
type Given = Answer<'GET /api/admin/investments'> | Answer<'GET /api/admin/investments/pending'>;

const DEFAULTS = { tab: 'pending', strategy: '', min: '', since: '', user: '', sort: 'createdAt', order: '' };
type Url = ListUrl<keyof typeof DEFAULTS>;

/** The order of the list; by default the oldest first for waiting investments and the newest first for others. */
const directionOf = ({ tab, order }: Url) => orderOf(order || (tab === 'pending' ? 'asc' : 'desc'));

function filterOf(url: Url) {
  const minAmount = parseTyped(url.min);
  return {
    status: choiceOf(STATUS, url.tab),
    ...(url.strategy ? { strategyId: url.strategy } : {}),
    ...(minAmount ? { minAmount } : {}),
    ...(url.since ? { createdAfter: url.since } : {}),
    ...(isId(url.user) ? { userId: url.user.trim() } : {}),
  };
}

/** Waiting investments are read from the queue, which has the risk and the screening, unless a filter needs the list of all. */
async function read(url: Url, page: { page: number; limit: number }, signal: AbortSignal): Promise<Given> {
  const { status, ...filter } = filterOf(url);
  const order = { orderBy: directionOf(url), ...page };
  if (status === 'pending' && Object.keys(filter).length === 0) {
    const sortBy = url.sort === 'amount' ? 'amount' : 'createdAt';
    return api.call('GET /api/admin/investments/pending', { query: { ...order, sortBy }, signal });
  }
  const sortBy = url.sort === 'amount' || url.sort === 'currentValue' ? url.sort : ('createdAt' as const);
  return api.call('GET /api/admin/investments', { query: { ...order, ...filter, status, sortBy }, signal });
}

const COLUMNS: readonly Column<Row>[] = [
  { key: 'user', header: T.user, cell: ({ userEmail }) => userEmail },
  {
    key: 'strategy',
    header: T.strategy,
    isSecondary: true,
    cell: ({ strategyName }) => strategyName,
  },
  {
    ...{ key: 'amount', header: T.amount, align: 'right', sort: 'amount' },
    cell: ({ amount }) => <Money amount={amount} />,
  },
  { key: 'state', header: T.state, cell: (row) => <InvestmentState {...row} /> },
];
const AGE: Column<Row> = {
  ...{ key: 'age', header: T.age, sort: 'createdAt' },
  cell: ({ createdAt }) => <Age since={createdAt} />,
};
const WAITING: readonly Column<Row>[] = [
  ...COLUMNS,
  {
    key: 'risk',
    header: T.risk,
    isSecondary: true,
    cell: (row) => 'riskAssessment' in row && <Risk of={row} />,
  },
  {
    ...{ key: 'screening', header: T.screening, isSecondary: true },
    cell: (row) =>
      'complianceChecks' in row && SCREENING[row.complianceChecks.amlChecks as keyof typeof SCREENING],
  },
  AGE,
];
const OTHERS: readonly Column<Row>[] = [
  ...COLUMNS,
  {
    ...{ key: 'value', header: T.value, align: 'right', sort: 'currentValue' },
    cell: ({ currentValue }) => <Money amount={currentValue} />,
  },
  {
    ...{ key: 'growth', header: T.growth, align: 'right', isSecondary: true },
    cell: ({ totalEarnings }) => <Money amount={totalEarnings} />,
  },
  {
    ...{ key: 'created', header: T.created, sort: 'createdAt', isSecondary: true },
    cell: ({ createdAt }) => <Moment at={createdAt} />,
  },
];

function Risk({ of: { riskAssessment } }: { of: Queued }) {
  const { match } = riskAssessment;
  if (match === null) return T.noProfile;
  return (
    <Badge variant="light" color={match ? 'green' : 'yellow'}>
      {match ? T.fits : T.exceeds}
    </Badge>
  );
}

/** Investments of all users; those that wait for an approval first. */
export default function InvestmentsPage() {
  const { data: strategies } = useQuery({
    queryKey: ['strategies'],
    queryFn: async () => (await api.call('GET /api/admin/strategies')).data,
  });
  const queues = useQueues();
  const names = Object.fromEntries((strategies ?? []).map(({ id, name }) => [id, name]));
  return (
    <ListPage<Row, Given, keyof typeof DEFAULTS>
      list="investments"
      title={T.title}
      defaults={DEFAULTS}
      tabs={{ name: 'tab', titles: STATUS, counts: { pending: queues?.investments?.count } }}
      filters={[
        { name: 'strategy', label: T.strategy, choices: { '': T.allStrategies, ...names } },
        { name: 'min', label: T.minAmount },
        { name: 'since', label: T.since, type: 'date' },
        { name: 'user', label: T.userId },
      ]}
      columns={({ tab }) => (tab === 'pending' ? WAITING : OTHERS)}
      hrefOf={({ id }) => `/investments/${id}`}
      empty={T.empty}
      read={read}
      exportAs={{
        file: 'investments.csv',
        read: (url) => api.call('GET /api/admin/investments', { query: { ...filterOf(url), format: 'csv' } }),
      }}
      head={({ summary }) => <Figures summary={summary} />}
    />
  );
}

function Figures({ summary }: { summary: Given['summary'] }) {
  if (!('totalPending' in summary))
    return (
      <Text size="sm">
        {T.valueOfAll(formatCount(summary.totalInvestments))}{' '}
        <Money amount={summary.totalValue} currency="USDC" />
      </Text>
    );
  return (
    <Text size="sm" component="span">
      {T.sum} <Money amount={summary.totalPendingValue} currency="USDC" />
      {summary.oldestPending && (
        <>
          {' · '}
          {T.oldest} <Age since={summary.oldestPending} />
        </>
      )}
    </Text>
  );
}
