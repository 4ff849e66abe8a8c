import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useParams } from 'react-router';
import { api } from '../../api/client.ts';
import { REFRESH_MS } from '../../api/queries.ts';
import { Facts } from '../../ui/facts.tsx';
import { Failure } from '../../ui/failure.tsx';
import { formatCount } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Section } from '../../ui/section.tsx';
import { Grouped, Moment, Money } from '../../ui/values.tsx';
import { Actions, type DeskAction } from '../desk/actions.tsx';
import { useTransactionLink } from '../desk/transaction-link.tsx';
import { UserLink } from '../desk/user-link.tsx';
import { recordText } from '../record-names.ts';
import { usePermits } from '../session.ts';
import { REQUESTED } from '../transactions/texts.ts';
import { DepositState, type Deposit } from './deposit-state.tsx';

const T = inLanguage({
  title: [(email: string) => `Deposit of ${email}`, (email: string) => `Einzahlung von ${email}`],
  list: ['Deposits', 'Einzahlungen'],
  money: ['Money', 'Geld'],
  chain: ['On chain', 'Auf der Chain'],
  none: ['No such deposit.', 'Keine solche Einzahlung.'],
  user: ['User', 'Nutzer'],
  amount: ['Amount', 'Betrag'],
  reported: ['Reported', 'Gemeldet'],
  credited: ['Credited', 'Gutgeschrieben'],
  reason: ['Not credited, because', 'Nicht gutgeschrieben, weil'],
  nextStep: ['The user reads', 'Der Nutzer liest'],
  network: ['Network', 'Netzwerk'],
  confirmations: ['Confirmations', 'Bestätigungen'],
  block: ['Block', 'Block'],
  fromAddress: ['From', 'Von'],
  toAddress: ['To', 'An'],
  hash: ['Hash', 'Hash'],
  transaction: ['Transaction', 'Buchung'],
  gas: ['Gas fee', 'Gasgebühr'],
  below: [
    'It is below the minimum. It is credited by itself when the deposits to this address reach the minimum; nothing can be released by hand, and its money is not available to other bookings.',
    'Sie ist unter dem Minimum. Sie wird von selbst gutgeschrieben, wenn die Einzahlungen an diese Adresse das Minimum erreichen; von Hand lässt sich nichts freigeben, und ihr Geld steht für andere Buchungen nicht zur Verfügung.',
  ],
  booked: [
    'An admin has credited it by hand with the same hash, so it is not credited again.',
    'Ein Admin hat sie mit demselben Hash von Hand gutgeschrieben, deshalb wird sie nicht noch einmal gutgeschrieben.',
  ],
  takeBack: ['Take back', 'Zurücknehmen'],
  takeBackEffect: [
    'A second admin is asked to take the amount back from the user’s available balance, because the tokens have not arrived.',
    'Ein zweiter Admin wird gebeten, den Betrag vom verfügbaren Guthaben zurückzunehmen, weil die Token nicht angekommen sind.',
  ],
  takeBackAmount: ['Amount in USDC', 'Betrag in USDC'],
  description: ['Why is it booked?', 'Warum wird gebucht?'],
  shownToUser: ['The user reads it.', 'Der Nutzer liest es.'],
  readOnly: ['You may only read transactions.', 'Sie dürfen Buchungen nur lesen.'],
});

const SECOND_MS = 1000;
const MAX_ROWS = 100;

/** The API has no route for one deposit: the search finds the time of the deposit, and the list the deposits of that second. */
async function readOne(id: string): Promise<Deposit | null> {
  const { results } = (await api.call('GET /api/admin/search', { query: { q: id } })).data;
  const found = results.find((result) => result.type === 'deposit' && result.id === id);
  if (!found) return null;
  const createdBefore = new Date(Date.parse(found.createdAt) + SECOND_MS).toISOString();
  const query = { createdAfter: found.createdAt, createdBefore, limit: MAX_ROWS };
  const { data } = await api.call('GET /api/admin/deposits', { query });
  return data.find((deposit) => deposit.id === id) ?? null;
}

/** One deposit, and what can be done about it. */
export default function DepositPage() {
  const { id = '' } = useParams();
  const { from = '' } = (useLocation().state ?? {}) as { from?: string };
  const { data, error, refetch } = useQuery({
    queryKey: ['deposits', 'one', id],
    queryFn: () => readOne(id),
    refetchInterval: REFRESH_MS,
  });
  const mayBook = usePermits('transactions:write');
  if (data === undefined) return error ? <Failure error={error} retry={() => void refetch()} /> : null;
  const back = <Link to={`/deposits${from}`}>← {T.list}</Link>;
  if (data === null)
    return (
      <>
        {back}
        <PageHead title={T.none} />
      </>
    );
  const { holdReason } = data.metadata;
  return (
    <>
      {back}
      <PageHead title={T.title(data.userEmail)}>
        <DepositState {...data} />
      </PageHead>
      {holdReason && (
        <Alert color="yellow" mb="md">
          {holdReason === 'BELOW_MINIMUM' ? T.below : T.booked}
        </Alert>
      )}
      <Actions
        key={id}
        actions={actionsOf(data, mayBook ? undefined : T.readOnly)}
        areas={['deposits', 'transactions', 'approvals']}
      />
      <div className="columns">
        <Funds deposit={data} />
        <OnChain deposit={data} />
      </div>
    </>
  );
}

function actionsOf(deposit: Deposit, blocked: string | undefined): DeskAction[] {
  const { id, status, currency, amount, userEmail } = deposit;
  if (status !== 'completed' || currency === 'ETH') return [];
  return [
    {
      ...{ name: 'take-back', label: T.takeBack, effect: T.takeBackEffect, done: '', blocked }, // `send` returns the message
      isDangerous: true,
      facts: (
        <Facts
          of={[
            [T.user, userEmail],
            [T.amount, <Money key="amount" amount={amount} currency={currency} isExact />],
          ]}
        />
      ),
      fields: [
        { name: 'amount', label: T.takeBackAmount, kind: 'amount' },
        { name: 'description', label: T.description, kind: 'reason', description: T.shownToUser },
      ],
      send: async ({ amount: entered = '', description = '' }, idempotencyKey) => {
        const body = {
          type: 'reversal',
          depositId: id,
          amount: entered,
          currency: 'USDC',
          description,
        } as const;
        await api.call('POST /api/admin/transactions', { body, idempotencyKey });
        return { color: 'yellow', message: REQUESTED };
      },
    },
  ];
}

function Funds({ deposit }: { deposit: Deposit }) {
  const { userId, userEmail, amount, currency, createdAt, confirmedAt, metadata } = deposit;
  const transaction = useTransactionLink({ ...deposit, type: 'deposit' });
  return (
    <Section title={T.money}>
      <Facts
        of={[
          [T.user, <UserLink key="user" id={userId} email={userEmail} />],
          [T.amount, <Money key="amount" amount={amount} currency={currency} isExact />],
          [T.reported, <Moment key="reported" at={createdAt} />],
          [T.credited, confirmedAt && <Moment key="credited" at={confirmedAt} />],
          [T.reason, metadata.reason && recordText(metadata.reason)],
          [T.nextStep, metadata.nextStep && recordText(metadata.nextStep)],
          [T.transaction, transaction],
        ]}
      />
    </Section>
  );
}

function OnChain({ deposit }: { deposit: Deposit }) {
  const {
    network,
    confirmations,
    requiredConfirmations,
    blockNumber,
    fromAddress,
    toAddress,
    txHash,
    gasFee,
  } = deposit;
  return (
    <Section title={T.chain}>
      <Facts
        of={[
          [T.network, network],
          [T.confirmations, `${formatCount(confirmations)} / ${formatCount(requiredConfirmations)}`],
          [T.block, blockNumber !== null && formatCount(blockNumber)],
          [T.fromAddress, fromAddress && <Grouped key="from" value={fromAddress} label={T.fromAddress} />],
          [T.toAddress, <Grouped key="to" value={toAddress} label={T.toAddress} />],
          [T.hash, <Grouped key="hash" value={txHash} label={T.hash} />],
          [T.gas, gasFee && <Money key="gas" amount={gasFee} currency="ETH" isExact />],
        ]}
      />
    </Section>
  );
}
