import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useParams } from 'react-router';
import { api, type Answer } from '../../api/client.ts';
import { REFRESH_MS } from '../../api/queries.ts';
import { withStepUp } from '../../api/step-up.ts';
import { Facts } from '../../ui/facts.tsx';
import { Failure } from '../../ui/failure.tsx';
import { formatCount } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Section } from '../../ui/section.tsx';
import { Grouped, Moment, Money } from '../../ui/values.tsx';
import { Actions, type DeskAction } from '../desk/actions.tsx';
import { ChainVerdict } from '../desk/chain-verdict.tsx';
import { UserLink } from '../desk/user-link.tsx';
import { transactionText } from '../record-names.ts';
import { RecordLink } from '../record-link.tsx';
import { useAdmin, usePermits } from '../session.ts';
import { bookedOutcome, PURPOSE } from '../treasury/texts.ts';
import { KIND } from './texts.ts';
import { TransactionState } from './transaction-state.tsx';

const T = inLanguage({
  list: ['Transactions', 'Buchungen'],
  booking: ['Transaction', 'Buchung'],
  byHand: ['By hand', 'Von Hand'],
  chain: ['On chain', 'Auf der Chain'],
  user: ['User', 'Nutzer'],
  amount: ['Amount', 'Betrag'],
  change: ['Change of the balance', 'Änderung des Guthabens'],
  description: ['Description', 'Beschreibung'],
  created: ['Created', 'Angelegt'],
  confirmed: ['Booked', 'Gebucht'],
  proof: ['Proof', 'Nachweis'],
  record: ['Belongs to', 'Gehört zu'],
  fromAddress: ['From', 'Von'],
  toAddress: ['To', 'An'],
  hash: ['Hash', 'Hash'],
  verdict: ['Chain', 'Chain'],
  block: ['Block', 'Block'],
  confirmations: ['Confirmations', 'Bestätigungen'],
  requestedBy: ['Requested by', 'Beantragt von'],
  approvedBy: ['Approved by', 'Freigegeben von'],
  confirmedBy: ['Confirmed by', 'Bestätigt von'],
  rejectedBy: ['Rejected by', 'Abgelehnt von'],
  reason: ['Reason', 'Grund'],
  purpose: ['Purpose', 'Zweck'],
  strategy: ['Strategy', 'Strategie'],
  source: ['Booked from', 'Gebucht von'],
  suspense: ['suspense', 'dem Zwischenkonto'],
  withdrawal: ['Withdrawal', 'Auszahlung'],
  deposit: ['Deposit', 'Einzahlung'],
  show: ['show', 'anzeigen'],
  approve: ['Approve', 'Freigeben'],
  confirm: ['Confirm', 'Bestätigen'],
  reject: ['Reject', 'Ablehnen'],
  approveEffect: [
    'The transaction can then be carried out and confirmed; nothing is booked yet.',
    'Die Buchung kann dann ausgeführt und bestätigt werden; es ist noch nichts gebucht.',
  ],
  confirmEffect: [
    'The transaction was carried out: it is booked now, and its hash is compared with the chain. This cannot be undone.',
    'Die Buchung wurde ausgeführt: Sie wird jetzt gebucht, und ihr Hash wird mit der Chain verglichen. Das lässt sich nicht rückgängig machen.',
  ],
  rejectEffect: [
    'The transaction is finally rejected and never booked; a pending transfer request of it is rejected, too.',
    'Die Buchung wird endgültig abgelehnt und nie gebucht; ein offener Überweisungsauftrag dazu wird auch abgelehnt.',
  ],
  approved: ['Approved: it can be carried out now', 'Freigegeben: sie kann jetzt ausgeführt werden'],
  booked: ['Booked', 'Gebucht'],
  rejected: ['Rejected: nothing was booked', 'Abgelehnt: es wurde nichts gebucht'],
  optionalHash: ['Hash of the transfer (optional)', 'Hash der Überweisung (freiwillig)'],
  own: [
    'Another admin has to approve what you have requested.',
    'Was Sie beantragt haben, muss ein anderer Admin freigeben.',
  ],
  carriedOut: [
    'An operator carries this transfer out: complete its request under “Treasury”.',
    'Ein Operator führt diese Überweisung aus: Schließen Sie ihren Auftrag unter „Treasury“ ab.',
  ],
  readOnly: ['You may only read transactions.', 'Sie dürfen Buchungen nur lesen.'],
});

type Transaction = Answer<'GET /api/admin/transactions/{id}'>['data'];
type ByAdmins = NonNullable<Transaction['byAdmins']>;

const readOne = async (id: string) =>
  (await api.call('GET /api/admin/transactions/{id}', { path: { id } })).data;

const lastActor = ({ byAdmins }: Transaction) =>
  byAdmins && (byAdmins.rejectedBy ?? byAdmins.confirmedBy ?? byAdmins.approvedBy);

/** One transaction; for one by hand also its approvals and the next step. */
export default function TransactionPage() {
  const { id = '' } = useParams();
  const { from = '' } = (useLocation().state ?? {}) as { from?: string };
  const { data, error, refetch } = useQuery({
    queryKey: ['transactions', 'one', id],
    queryFn: () => readOne(id),
    refetchInterval: REFRESH_MS,
  });
  const { email } = useAdmin();
  const mayBook = usePermits('transactions:write');
  if (!data) return error ? <Failure error={error} retry={() => void refetch()} /> : null;
  return (
    <>
      <Link to={`/transactions${from}`}>← {T.list}</Link>
      <PageHead title={KIND[data.kind]}>
        <TransactionState {...data} />
      </PageHead>
      <Actions
        key={id}
        actions={actionsOf(data, email, mayBook ? undefined : T.readOnly)}
        areas={['transactions', 'approvals', 'treasury', 'deposits', 'withdrawals', 'users']}
        actorOf={async () => lastActor(await readOne(id))}
        keys={{ approve: 'a', confirm: 'c', reject: 'r' }}
      />
      <div className="columns">
        <Booking transaction={data} />
        {data.byAdmins && <ByHand {...data.byAdmins} />}
        <OnChain transaction={data} />
      </div>
    </>
  );
}

function actionsOf(transaction: Transaction, me: string, readOnly: string | undefined): DeskAction[] {
  const { id, status, kind, amount, currency, userEmail, byAdmins } = transaction;
  if (!byAdmins) return [];
  const one = (idempotencyKey: string) => ({ path: { id }, idempotencyKey });
  const facts = (
    <Facts
      of={[
        [T.booking, KIND[kind]],
        [T.user, userEmail],
        [T.amount, <Money key="amount" amount={amount} currency={currency} isExact />],
        [T.description, transactionText(transaction)],
      ]}
    />
  );
  const reject: DeskAction = {
    ...{
      name: 'reject',
      label: T.reject,
      effect: T.rejectEffect,
      done: T.rejected,
      blocked: readOnly,
      facts,
    },
    isDangerous: true,
    fields: [{ name: 'reason', label: T.reason, kind: 'reason' }],
    send: async ({ reason = '' }, key) =>
      void (await api.call('POST /api/admin/transactions/{id}/reject', { ...one(key), body: { reason } })),
  };
  if (status === 'pending')
    return [
      {
        ...{ name: 'approve', label: T.approve, effect: T.approveEffect, done: T.approved, facts },
        blocked: readOnly ?? (byAdmins.createdBy === me ? T.own : undefined),
        send: (_, key) =>
          withStepUp({ action: 'approval.approve', details: { id } }, async (token) => {
            await api.call('POST /api/admin/transactions/{id}/approve', { ...one(key), ...token });
          }),
      },
      reject,
    ];
  if (status !== 'processing') return [];
  return [
    {
      ...{ name: 'confirm', label: T.confirm, effect: T.confirmEffect, done: T.booked, facts },
      blocked: readOnly ?? (byAdmins.requestId ? T.carriedOut : undefined),
      fields:
        kind === 'reversal'
          ? []
          : [{ name: 'transactionHash', label: T.optionalHash, kind: 'hash', isOptional: true }],
      send: async (body, key) => {
        const { data } = await api.call('POST /api/admin/transactions/{id}/confirm', { ...one(key), body });
        return bookedOutcome(data.byAdmins?.chainCheck);
      },
    },
    reject,
  ];
}

function Booking({ transaction }: { transaction: Transaction }) {
  const { userID, userEmail, amount, currency, balanceChange, confirmedAt, record } = transaction;
  return (
    <Section title={T.booking}>
      <Facts
        of={[
          [T.user, userID && userEmail && <UserLink key="user" id={userID} email={userEmail} />],
          [T.amount, <Money key="amount" amount={amount} currency={currency} isExact />],
          [T.change, balanceChange && <Money key="change" amount={balanceChange} currency="USDC" isExact />],
          [T.description, transactionText(transaction)],
          [T.record, record && <RecordLink key="record" kind={record.type} id={record.id} />],
          [T.created, <Moment key="created" at={transaction.createdAt} />],
          [T.confirmed, confirmedAt && <Moment key="confirmed" at={confirmedAt} />],
          [
            T.proof,
            <Link key="proof" to={`/proof/${transaction.id}`}>
              {T.show}
            </Link>,
          ],
        ]}
      />
    </Section>
  );
}

function ByHand(part: ByAdmins) {
  const { withdrawalId, depositId, purpose, rejectedAt } = part;
  return (
    <Section title={T.byHand}>
      <Facts
        of={[
          [T.requestedBy, part.createdBy],
          [T.approvedBy, part.approvedBy],
          [T.confirmedBy, part.confirmedBy],
          [
            T.rejectedBy,
            rejectedAt && (
              <span key="rejected">
                {part.rejectedBy}, <Moment at={rejectedAt} />
              </span>
            ),
          ],
          [T.reason, part.reason],
          [T.purpose, purpose && PURPOSE[purpose]],
          [T.strategy, part.strategyId],
          [T.source, part.fromSuspense && T.suspense],
          [
            T.withdrawal,
            withdrawalId && (
              <Link key="out" to={`/withdrawals/${withdrawalId}`}>
                {T.show}
              </Link>
            ),
          ],
          [
            T.deposit,
            depositId && (
              <Link key="in" to={`/deposits/${depositId}`}>
                {T.show}
              </Link>
            ),
          ],
        ]}
      />
    </Section>
  );
}

function OnChain({ transaction }: { transaction: Transaction }) {
  const { transactionHash, fromAddress, toAddress, blockNumber, confirmations, byAdmins } = transaction;
  if (!transactionHash) return null;
  return (
    <Section title={T.chain}>
      <Facts
        of={[
          [T.fromAddress, fromAddress && <Grouped key="from" value={fromAddress} label={T.fromAddress} />],
          [T.toAddress, toAddress && <Grouped key="to" value={toAddress} label={T.toAddress} />],
          [T.hash, <Grouped key="hash" value={transactionHash} label={T.hash} />],
          [T.verdict, byAdmins?.chainCheck && <ChainVerdict key="verdict" of={byAdmins.chainCheck} />],
          [T.block, blockNumber !== null && formatCount(blockNumber)],
          [T.confirmations, formatCount(confirmations)],
        ]}
      />
    </Section>
  );
}
