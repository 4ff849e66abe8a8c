import { Button } from '@mantine/core';
import { useParams } from 'react-router';
import type { TransactionDetailResponse } from 'stablecoin-platform-client/routes';
import { hasCode } from '../api/client.ts';
import { useRead } from '../api/use-read.ts';
import { counted, formatPercent } from '../ui/format.ts';
import { inLanguage } from '../ui/language.ts';
import { Facts } from '../ui/facts.tsx';
import { Grouped, Moment } from '../ui/values.tsx';
import { ActionOutcome } from './action-panel.tsx';
import styles from './app.module.css';
import { useAction } from './intent.ts';
import { Card, Empty, Loaded, Money, Page, Status } from './parts.tsx';
import { useUser } from './session.tsx';
import { TRANSACTION_STATUS, TRANSACTION_TYPE } from './statuses.ts';
import { verifyTransaction } from './verify-money.ts';

const T = inLanguage({
  title: ['Transaction', 'Buchung'],
  none: ['There is no such transaction.', 'Diese Buchung gibt es nicht.'],
  back: ['To the history', 'Zum Verlauf'],
  state: ['State', 'Stand'],
  amount: ['Amount', 'Betrag'],
  change: ['Change of the balance', 'Änderung des Guthabens'],
  text: ['Text', 'Text'],
  strategy: ['Strategy', 'Strategie'],
  created: ['Created', 'Angelegt'],
  completed: ['Completed', 'Abgeschlossen'],
  from: ['From', 'Von'],
  to: ['To', 'An'],
  hash: ['Transaction on the chain', 'Transaktion auf der Kette'],
  confirmations: ['Confirmations', 'Bestätigungen'],
  timeline: ['What happened', 'Was geschah'],
  proof: ['Is it in the log?', 'Steht sie im Protokoll?'],
  proofText: [
    'Checks in this browser that the transaction, with this amount, is in the public log that the platform has signed.',
    'Prüft in diesem Browser, dass die Buchung mit diesem Betrag in dem öffentlichen Protokoll steht, das die Plattform unterschrieben hat.',
  ],
  check: ['Check the proof', 'Nachweis prüfen'],
  proven: [
    (count: number, leaf: number) =>
      `Proven: ${counted(count, 'posting', 'postings')} of this transaction in the log, the first as leaf ${leaf}.`,
    (count: number, leaf: number) =>
      `Nachgewiesen: ${count} Posten dieser Buchung im Protokoll, der erste als Blatt ${leaf}.`,
  ],
  noPosting: [
    'This transaction has not moved money yet, so there is nothing to prove.',
    'Diese Buchung hat noch kein Geld bewegt, es gibt also nichts nachzuweisen.',
  ],
});

export default function Transaction() {
  const { id = '' } = useParams();
  const query = useRead('GET /api/user/transactions/{id}', { path: { id } });
  if (hasCode(query.error, 'TRANSACTION_NOT_FOUND', 'VALIDATION_ERROR'))
    return (
      <Page title={T.title}>
        <Empty to="/history" action={T.back}>
          {T.none}
        </Empty>
      </Page>
    );
  // Without the parameter `view` the answer is that of the ledger view.
  return (
    <Loaded query={query}>{({ data }) => <Details transaction={data as TransactionDetailResponse} />}</Loaded>
  );
}

function Details({ transaction }: { transaction: TransactionDetailResponse }) {
  const { currency, metadata, strategyName, strategyDetails } = transaction;
  return (
    <Page title={TRANSACTION_TYPE[transaction.type]} back={['/history', T.back]}>
      <Card>
        <Facts
          of={[
            [T.state, <Status status={transaction.status}>{TRANSACTION_STATUS[transaction.status]}</Status>],
            [T.amount, <Money amount={transaction.amount} currency={currency} />],
            [T.change, <Money amount={metadata.balanceChange} currency={currency} />],
            [T.text, metadata.description],
            [
              T.strategy,
              strategyName !== null &&
                `${strategyName}${strategyDetails ? `, ${formatPercent(strategyDetails.apy)}` : ''}`,
            ],
            [T.created, <Moment at={transaction.createdAt} />],
            [T.completed, transaction.completedAt !== null && <Moment at={transaction.completedAt} />],
            [T.from, transaction.from !== null && <Grouped value={transaction.from} label={T.from} />],
            [T.to, transaction.to !== null && <Grouped value={transaction.to} label={T.to} />],
            [
              T.hash,
              transaction.blockchainTxHash !== null && (
                <Grouped value={transaction.blockchainTxHash} label={T.hash} />
              ),
            ],
            [T.confirmations, transaction.blockchainTxHash !== null && transaction.confirmations],
          ]}
        />
      </Card>
      <Card title={T.timeline}>
        <ol className={styles.timeline}>
          {transaction.timeline.map(({ timestamp, description }, index) => (
            <li key={index}>
              <Moment at={timestamp} />: {description}
            </li>
          ))}
        </ol>
      </Card>
      <Proof transaction={transaction} />
    </Page>
  );
}

function Proof({ transaction }: { transaction: TransactionDetailResponse }) {
  const user = useUser();
  const action = useAction<number[]>(undefined, 'reads');
  return (
    <Card title={T.proof}>
      <p className={styles.hint}>{T.proofText}</p>
      <div className={styles.actions}>
        <Button
          loading={action.state.status === 'running'}
          onClick={() => void action.run(transaction.id, () => verifyTransaction(transaction, user.id))}
        >
          {T.check}
        </Button>
      </div>
      <ActionOutcome action={action}>
        {(leaves) => (leaves[0] === undefined ? T.noPosting : T.proven(leaves.length, leaves[0]))}
      </ActionOutcome>
    </Card>
  );
}
