import { api, type Answer } from '../../api/client.ts';
import type { Column } from '../../ui/data-table.tsx';
import { inLanguage } from '../../ui/language.ts';
import { choiceOf, isId, ListPage, type ListAnswer, type ListUrl } from '../../ui/list-page.tsx';
import { Moment, Money, Shortened } from '../../ui/values.tsx';
import { Actions } from '../desk/actions.tsx';
import { transactionText } from '../record-names.ts';
import { usePermits } from '../session.ts';
import { CHAIN_CHECK } from '../treasury/texts.ts';
import { requestByHand } from './request-by-hand.ts';
import { KIND, STATUS, TYPE } from './texts.ts';
import { TransactionState } from './transaction-state.tsx';

const T = inLanguage({
  title: ['Transactions', 'Buchungen'],
  kind: ['Kind', 'Art'],
  user: ['User', 'Nutzer'],
  none: ['platform', 'Plattform'],
  amount: ['Amount', 'Betrag'],
  state: ['State', 'Zustand'],
  created: ['Created', 'Angelegt'],
  description: ['Description', 'Beschreibung'],
  hash: ['Transaction', 'Transaktion'],
  chain: ['Chain', 'Chain'],
  userId: ['Id of the user', 'Id des Nutzers'],
  empty: ['No transaction matches.', 'Keine Buchung passt.'],
});

type Row = Answer<'GET /api/admin/transactions'>['data']['transactions'][number];

const DEFAULTS = { status: 'all', type: 'all', chain: 'all', user: '' };
type Url = ListUrl<keyof typeof DEFAULTS>;

const filterOf = (url: Url) => ({
  status: choiceOf(STATUS, url.status),
  type: choiceOf(TYPE, url.type),
  chainCheck: choiceOf(CHAIN_CHECK, url.chain),
  ...(isId(url.user) ? { userId: url.user.trim() } : {}),
});

async function read(url: Url, page: object, signal: AbortSignal): Promise<ListAnswer<Row>> {
  const query = { ...filterOf(url), ...page };
  const { transactions, ...pagination } = (await api.call('GET /api/admin/transactions', { query, signal }))
    .data;
  return { data: transactions, pagination };
}

const COLUMNS: readonly Column<Row>[] = [
  { key: 'kind', header: T.kind, cell: ({ kind }) => KIND[kind] },
  {
    key: 'user',
    header: T.user,
    cell: ({ userEmail }) => <span className="email">{userEmail ?? T.none}</span>,
  },
  {
    ...{ key: 'amount', header: T.amount, align: 'right' },
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  {
    ...{ key: 'state', header: T.state },
    cell: (row) => <TransactionState {...row} />,
  },
  { key: 'created', header: T.created, cell: ({ createdAt }) => <Moment at={createdAt} /> },
  {
    ...{ key: 'description', header: T.description, isSecondary: true },
    cell: transactionText,
  },
  {
    ...{ key: 'hash', header: T.hash, isSecondary: true },
    cell: ({ transactionHash }) => transactionHash && <Shortened value={transactionHash} />,
  },
];

/** The transactions of all users and those that admins have requested. */
export default function TransactionsPage() {
  const mayBook = usePermits('transactions:write');
  return (
    <ListPage<Row, ListAnswer<Row>, keyof typeof DEFAULTS>
      list="transactions"
      title={T.title}
      defaults={DEFAULTS}
      tabs={{ name: 'status', titles: STATUS }}
      filters={[
        { name: 'type', label: T.kind, choices: TYPE },
        { name: 'chain', label: T.chain, choices: CHAIN_CHECK },
        { name: 'user', label: T.userId },
      ]}
      columns={() => COLUMNS}
      hrefOf={({ id }) => `/transactions/${id}`}
      empty={T.empty}
      read={read}
      exportAs={{
        file: 'transactions.csv',
        read: (url) =>
          api.call('GET /api/admin/transactions', { query: { ...filterOf(url), format: 'csv' } }),
      }}
      tools={mayBook && <Actions isCompact actions={[requestByHand]} areas={['transactions', 'approvals']} />}
    />
  );
}
