import { Text } from '@mantine/core';
import { api, type Answer } from '../../api/client.ts';
import type { Column } from '../../ui/data-table.tsx';
import { formatCount } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { choiceOf, isId, ListPage, orderOf, type ListUrl } from '../../ui/list-page.tsx';
import { Moment, Money, Shortened } from '../../ui/values.tsx';
import { DepositState, type Deposit } from './deposit-state.tsx';
import { HOLD, STATUS } from './texts.ts';

const T = inLanguage({
  title: ['Deposits', 'Einzahlungen'],
  user: ['User', 'Nutzer'],
  amount: ['Amount', 'Betrag'],
  network: ['Network', 'Netzwerk'],
  currency: ['Currency', 'Währung'],
  state: ['State', 'Zustand'],
  confirmations: ['Confirmations', 'Bestätigungen'],
  created: ['Reported', 'Gemeldet'],
  hash: ['Transaction', 'Transaktion'],
  held: ['Held', 'Angehalten'],
  from: ['From', 'Von'],
  until: ['Before', 'Vor'],
  userId: ['Id of the user', 'Id des Nutzers'],
  credited: ['Credited', 'Gutgeschrieben'],
  underway: ['Under way', 'Unterwegs'],
  empty: ['No deposit matches.', 'Keine Einzahlung passt.'],
});

type Given = Answer<'GET /api/admin/deposits'>;

const CURRENCIES = { ...inLanguage({ all: ['All', 'Alle'] }), USDC: 'USDC', USDT: 'USDT', ETH: 'ETH' };
const NETWORKS = { ...inLanguage({ all: ['All', 'Alle'] }), ERC20: 'ERC20', TRC20: 'TRC20', BEP20: 'BEP20' };
const SORTS = { createdAt: '', amount: '', confirmations: '' };
const DEFAULTS = {
  ...{ status: 'all', currency: 'all', network: 'all', hold: 'all', from: '', until: '', user: '' },
  ...{ sort: 'createdAt', order: 'desc' },
};
type Url = ListUrl<keyof typeof DEFAULTS>;

const filterOf = (url: Url) => ({
  status: choiceOf(STATUS, url.status),
  currency: choiceOf(CURRENCIES, url.currency),
  network: choiceOf(NETWORKS, url.network),
  holdReason: choiceOf(HOLD, url.hold),
  ...(url.from ? { createdAfter: url.from } : {}),
  ...(url.until ? { createdBefore: url.until } : {}),
  ...(isId(url.user) ? { userId: url.user.trim() } : {}),
});

const COLUMNS: readonly Column<Deposit>[] = [
  { key: 'user', header: T.user, cell: ({ userEmail }) => userEmail },
  {
    ...{ key: 'amount', header: T.amount, align: 'right', sort: 'amount' },
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  { key: 'network', header: T.network, isSecondary: true, cell: ({ network }) => network },
  { key: 'state', header: T.state, cell: (deposit) => <DepositState {...deposit} /> },
  {
    ...{
      key: 'confirmations',
      header: T.confirmations,
      align: 'right',
      sort: 'confirmations',
      isSecondary: true,
    },
    cell: ({ confirmations, requiredConfirmations }) =>
      `${formatCount(confirmations)} / ${formatCount(requiredConfirmations)}`,
  },
  {
    ...{ key: 'created', header: T.created, sort: 'createdAt' },
    cell: ({ createdAt }) => <Moment at={createdAt} />,
  },
  { key: 'hash', header: T.hash, isSecondary: true, cell: ({ txHash }) => <Shortened value={txHash} /> },
];

/** Deposits of all users. */
export default function DepositsPage() {
  return (
    <ListPage<Deposit, Given, keyof typeof DEFAULTS>
      list="deposits"
      title={T.title}
      defaults={DEFAULTS}
      tabs={{ name: 'status', titles: STATUS }}
      filters={[
        { name: 'currency', label: T.currency, choices: CURRENCIES },
        { name: 'network', label: T.network, choices: NETWORKS },
        { name: 'hold', label: T.held, choices: HOLD },
        { name: 'from', label: T.from, type: 'date' },
        { name: 'until', label: T.until, type: 'date' },
        { name: 'user', label: T.userId },
      ]}
      columns={() => COLUMNS}
      hrefOf={({ id }) => `/deposits/${id}`}
      empty={T.empty}
      read={(url, page, signal) => {
        const order = { sortBy: choiceOf(SORTS, url.sort), orderBy: orderOf(url.order) };
        return api.call('GET /api/admin/deposits', {
          query: { ...filterOf(url), ...order, ...page },
          signal,
        });
      }}
      exportAs={{
        file: 'deposits.csv',
        read: (url) => api.call('GET /api/admin/deposits', { query: { ...filterOf(url), format: 'csv' } }),
      }}
      head={({ summary }) => <Figures summary={summary} />}
    />
  );
}

function Figures({ summary }: { summary: Given['summary'] }) {
  const { currency, heldCount } = summary;
  return (
    <Text size="sm" component="span">
      {T.credited} <Money amount={summary.totalCompleted} currency={currency} /> · {T.underway}{' '}
      <Money amount={summary.totalPending} currency={currency} />
      {heldCount > 0 && (
        <>
          {' · '}
          {T.held} {formatCount(heldCount)}: <Money amount={summary.heldValue} currency={currency} />
        </>
      )}
    </Text>
  );
}
