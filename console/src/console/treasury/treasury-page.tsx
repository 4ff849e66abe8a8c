import { Badge } from '@mantine/core';
import { Link } from 'react-router';
import { api, type Answer } from '../../api/client.ts';
import { useQueues } from '../../api/queues.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { inLanguage } from '../../ui/language.ts';
import { choiceOf, ListPage, type ListUrl } from '../../ui/list-page.tsx';
import { placeName } from '../../ui/places.ts';
import { Age, Grouped, Money } from '../../ui/values.tsx';
import { Actions, type DeskAction } from '../desk/actions.tsx';
import { ChainVerdict } from '../desk/chain-verdict.tsx';
import { useAdmin, usePermits } from '../session.ts';
import { Coverage } from './coverage.tsx';
import { runsOf } from './runs.ts';
import { bookedOutcome, CHAIN_CHECK, PURPOSE, REQUEST_STATUS } from './texts.ts';

const T = inLanguage({
  title: ['Treasury', 'Treasury'],
  purpose: ['Transfer', 'Überweisung'],
  amount: ['Amount', 'Betrag'],
  route: ['From, to', 'Von, nach'],
  state: ['State', 'Zustand'],
  assigned: ['Assigned to', 'Zuständig'],
  nobody: ['unassigned', 'nicht zugeteilt'],
  age: ['Age', 'Alter'],
  action: ['Next step', 'Nächster Schritt'],
  mine: ['Assigned to (e-mail)', 'Zuständig (E-Mail)'],
  address: ['Address', 'Adresse'],
  network: ['Network', 'Netzwerk'],
  chain: ['Chain', 'Chain'],
  empty: ['No transfer is here.', 'Hier ist keine Überweisung.'],
  complete: ['Complete', 'Abschließen'],
  completeEffect: [
    'The transfer is booked as carried out, and its hash is compared with the chain. This cannot be undone.',
    'Die Überweisung wird als ausgeführt gebucht, und ihr Hash wird mit der Chain verglichen. Das lässt sich nicht rückgängig machen.',
  ],
  completed: ['Booked', 'Gebucht'],
  hash: ['Hash of the transfer', 'Hash der Überweisung'],
  note: ['Note (optional)', 'Notiz (freiwillig)'],
  assign: ['Assign', 'Zuteilen'],
  assignEffect: ['The admin is to carry the transfer out.', 'Der Admin soll die Überweisung ausführen.'],
  assignTo: ['E-mail address of the admin', 'E-Mail-Adresse des Admins'],
  assignedNow: ['Assigned', 'Zugeteilt'],
  readOnly: ['You may only read transactions.', 'Sie dürfen Buchungen nur lesen.'],
});

type Given = Answer<'GET /api/admin/transaction-requests'>;
type Request = Given['data'][number];

const DEFAULTS = { status: 'pending', type: 'all', chain: 'all', assigned: '' };
type Url = ListUrl<keyof typeof DEFAULTS>;
const AREAS = ['treasury', 'transactions', 'approvals'];

const read = (url: Url, page: object, signal: AbortSignal) => {
  const assignedTo = url.assigned.trim();
  const query = {
    ...page,
    status: choiceOf(REQUEST_STATUS, url.status),
    type: choiceOf(PURPOSE, url.type),
    chainCheck: choiceOf(CHAIN_CHECK, url.chain),
    ...(assignedTo ? { assignedTo } : {}),
  };
  return api.call('GET /api/admin/transaction-requests', { query, signal });
};

/** What covers the debts to users, and the transfers between the deposit provider and custody. */
export default function TreasuryPage() {
  const { email } = useAdmin();
  const mayWrite = usePermits('transactions:write');
  const queues = useQueues();
  const actionColumn: Column<Request> = {
    ...{ key: 'action', header: T.action },
    cell: (request) => <RequestActions request={request} me={email} mayWrite={mayWrite} />,
  };
  return (
    <ListPage<Request, Given, keyof typeof DEFAULTS>
      list="treasury"
      title={T.title}
      defaults={DEFAULTS}
      before={<Coverage />}
      tabs={{ name: 'status', titles: REQUEST_STATUS, counts: { pending: queues?.transfers?.count } }}
      filters={[
        { name: 'type', label: T.purpose, choices: PURPOSE },
        { name: 'chain', label: T.chain, choices: CHAIN_CHECK },
        { name: 'assigned', label: T.mine },
      ]}
      columns={({ status }) =>
        status === 'pending' || status === 'all' ? [...COLUMNS, actionColumn] : COLUMNS
      }
      hrefOf={({ transactionId }) => `/transactions/${transactionId}`}
      empty={T.empty}
      read={read}
      tools={mayWrite && <Actions isCompact actions={runsOf(email)} areas={AREAS} />}
    />
  );
}

const routeOf = (from: string, to: string) => `${placeName(from)} → ${placeName(to)}`;

const COLUMNS: readonly Column<Request>[] = [
  { key: 'purpose', header: T.purpose, cell: ({ type }) => PURPOSE[type] },
  {
    ...{ key: 'amount', header: T.amount, align: 'right' },
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} isExact />,
  },
  { key: 'route', header: T.route, isSecondary: true, cell: ({ from, to }) => routeOf(from, to) },
  {
    ...{ key: 'state', header: T.state },
    cell: ({ status, chainCheck }) => (
      <span className="button-row">
        <Badge
          variant="light"
          color={status === 'pending' ? 'blue' : status === 'completed' ? 'green' : 'gray'}
        >
          {REQUEST_STATUS[status]}
        </Badge>
        <ChainVerdict of={chainCheck} />
      </span>
    ),
  },
  {
    ...{ key: 'assigned', header: T.assigned, isSecondary: true },
    cell: ({ assignedTo, completedBy }) => completedBy ?? assignedTo ?? T.nobody,
  },
  { key: 'age', header: T.age, cell: ({ createdAt }) => <Age since={createdAt} /> },
];

interface RequestActionsProps {
  request: Request;
  me: string;
  mayWrite: boolean;
}

function RequestActions({ request, me, mayWrite }: RequestActionsProps) {
  const { id, status, transactionId } = request;
  if (status !== 'pending') return null;
  const shared = {
    blocked: mayWrite ? undefined : T.readOnly,
    facts: <ToTransfer request={request} />,
  };
  const actions: DeskAction[] = [
    {
      ...{ ...shared, name: 'complete', label: T.complete, effect: T.completeEffect, done: T.completed },
      fields: [
        { name: 'txHash', label: T.hash, kind: 'hash' },
        { name: 'note', label: T.note, kind: 'text', isOptional: true },
      ],
      send: async ({ txHash = '', ...note }, idempotencyKey) => {
        const sent = { path: { id }, body: { txHash, ...note }, idempotencyKey };
        const { data } = await api.call('POST /api/admin/transaction-requests/{id}/complete', sent);
        return bookedOutcome(data.chainCheck);
      },
    },
    {
      ...{ ...shared, name: 'assign', label: T.assign, effect: T.assignEffect, done: T.assignedNow },
      fields: [{ name: 'assignedTo', label: T.assignTo, kind: 'text', initial: me }],
      send: async ({ assignedTo = '' }) =>
        void (await api.call('PUT /api/admin/transaction-requests/{id}/assign', {
          path: { id },
          body: { assignedTo },
        })),
    },
  ];
  const actorOf = async () => {
    const { data } = await api.call('GET /api/admin/transactions/{id}', { path: { id: transactionId } });
    return data.byAdmins?.rejectedBy ?? data.byAdmins?.confirmedBy;
  };
  return <Actions isCompact actions={actions} areas={AREAS} actorOf={actorOf} />;
}

/** The details by which an operator carries the transfer out. */
function ToTransfer({ request }: { request: Request }) {
  const { type, amount, currency, network, from, to, toAddress, strategyId, transactionId } = request;
  return (
    <Facts
      of={[
        [
          T.purpose,
          <Link
            key="of"
            to={`/transactions/${transactionId}`}
          >{`${PURPOSE[type]} ${strategyId ?? ''}`}</Link>,
        ],
        [
          T.amount,
          <span key="amount" className="button-row">
            <Money amount={amount} currency={currency} isExact />
            <CopyButton value={amount} label={T.amount} />
          </span>,
        ],
        [T.route, routeOf(from, to)],
        [T.network, network],
        [T.address, toAddress && <Grouped key="address" value={toAddress} label={T.address} />],
      ]}
    />
  );
}
