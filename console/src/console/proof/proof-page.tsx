import { Alert, Button, Group, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { useNavigate, useParams } from 'react-router';
import { useRead } from '../../api/use-read.ts';
import type { Leaf } from '../../proofs/leaf.ts';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Failure } from '../../ui/failure.tsx';
import { counted, formatCount } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Section } from '../../ui/section.tsx';
import { Grouped, Moment, Money } from '../../ui/values.tsx';
import { CheckProof } from '../check-proof.tsx';
import { RecordLink } from '../record-link.tsx';
import { codeName, transactionText } from '../record-names.ts';
import { verifyRecord, type ProvenTransaction, type Transaction } from './verify-record.ts';

const T = inLanguage({
  title: ['Proof of a transaction', 'Nachweis einer Buchung'],
  id: ['Id of the transaction', 'Id der Buchung'],
  show: ['Show', 'Zeigen'],
  hint: [
    'Enter the id of a transaction, or find one by the search above.',
    'Geben Sie die Id einer Buchung ein, oder finden Sie eine mit der Suche oben.',
  ],
  transaction: ['Transaction', 'Buchung'],
  kind: ['Kind', 'Art'],
  status: ['Status', 'Stand'],
  user: ['User', 'Nutzer'],
  amount: ['Amount', 'Betrag'],
  change: ['Change of the balance', 'Änderung des Guthabens'],
  text: ['Text', 'Text'],
  created: ['Created', 'Angelegt'],
  confirmed: ['Confirmed', 'Bestätigt'],
  hash: ['Transaction on the chain', 'Transaktion auf der Kette'],
  proof: ['Proof', 'Nachweis'],
  check: ['Check the proof', 'Nachweis prüfen'],
  meaning: [
    'Checks in this browser that the postings of the transaction, with this amount, are in the log that the platform has signed.',
    'Prüft in diesem Browser, dass die Posten der Buchung mit diesem Betrag in dem Log stehen, das die Plattform unterschrieben hat.',
  ],
  proven: [
    (count: number, size: number) =>
      `Proven: ${counted(count, 'ledger transaction', 'ledger transactions')} in the log of ${formatCount(size)} leaves.`,
    (count: number, size: number) =>
      `Nachgewiesen: ${counted(count, 'Posten', 'Posten')} des Hauptbuchs im Log mit ${formatCount(size)} Blättern.`,
  ],
  noPosting: [
    'This transaction has moved no money, so there is nothing to prove.',
    'Diese Buchung hat kein Geld bewegt, es gibt also nichts nachzuweisen.',
  ],
  leaf: [
    (index: number, type: string) => `Leaf ${index}: ${type}`,
    (index: number, type: string) => `Blatt ${index}: ${type}`,
  ],
  account: ['Account', 'Konto'],
  asset: ['Asset', 'Währung'],
  credit: ['Credit (debits are negative)', 'Haben (Soll ist negativ)'],
  none: ['No posting.', 'Kein Posten.'],
  not: [
    'It does not prove that the record is right, or that the page is honest: it comes from the platform. An auditor runs the same verifier from the audit pack.',
    'Das beweist nicht, dass der Vorgang richtig ist, und nicht, dass die Seite ehrlich ist: Sie kommt von der Plattform. Ein Prüfer führt denselben Verifizierer aus dem Prüfpaket aus.',
  ],
});

/** One transaction of any user or by hand, and the check that it is in the signed log. */
export default function ProofPage() {
  const { id } = useParams();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const show = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim()) void navigate(`/proof/${encodeURIComponent(typed.trim())}`);
  };
  return (
    <>
      <PageHead title={T.title} />
      <form onSubmit={show}>
        <Group align="end" mb="md">
          <TextInput
            size="xs"
            label={T.id}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Button size="xs" type="submit" variant="default">
            {T.show}
          </Button>
        </Group>
      </form>
      {id ? <Provable key={id} id={id} /> : <div className="empty">{T.hint}</div>}
    </>
  );
}

function Provable({ id }: { id: string }) {
  const { data, error, refetch } = useRead('GET /api/admin/transactions/{id}', { path: { id } });
  if (!data) return error ? <Failure error={error} retry={() => void refetch()} /> : null;
  const transaction = data.data;
  return (
    <>
      <Section title={T.transaction}>
        <Details transaction={transaction} />
      </Section>
      <Section title={T.proof}>
        <CheckProof label={T.check} meaning={T.meaning} check={() => verifyRecord(transaction)}>
          {(proven) => <Proven proven={proven} />}
        </CheckProof>
      </Section>
    </>
  );
}

function Details({ transaction }: { transaction: Transaction }) {
  const { id, userID, userEmail, kind, status, cancelled, amount, currency, balanceChange } = transaction;
  return (
    <Facts
      of={[
        [T.id, <Grouped key="id" value={id} label={T.id} />],
        [T.kind, codeName(kind)],
        [T.status, codeName(cancelled ? 'cancelled' : status)],
        [
          T.user,
          userID !== null && (
            <span key="user">
              {userEmail} · <RecordLink kind="user" id={userID} />
            </span>
          ),
        ],
        [T.amount, <Money key="amount" amount={amount} currency={currency} isExact />],
        [
          T.change,
          balanceChange !== null && <Money key="change" amount={balanceChange} currency="USDC" isExact />,
        ],
        [T.text, transactionText(transaction)],
        [T.created, <Moment key="created" at={transaction.createdAt} />],
        [T.confirmed, transaction.confirmedAt && <Moment key="confirmed" at={transaction.confirmedAt} />],
        [
          T.hash,
          transaction.transactionHash && (
            <Grouped key="hash" value={transaction.transactionHash} label={T.hash} />
          ),
        ],
      ]}
    />
  );
}

type Posting = Leaf['entries'][number];
const COLUMNS: readonly Column<Posting>[] = [
  { key: 'account', header: T.account, cell: ({ account }) => account },
  { key: 'asset', header: T.asset, cell: ({ asset }) => asset },
  { key: 'amount', header: T.credit, align: 'right', cell: ({ amount }) => amount },
];

function Proven({ proven: { leaves, size } }: { proven: ProvenTransaction }) {
  if (leaves.length === 0) return <Alert color="yellow">{T.noPosting}</Alert>;
  return (
    <>
      <Alert color="green" mb="md">
        {T.proven(leaves.length, size)}
      </Alert>
      {leaves.map(({ index, type, effectiveAt, reference, entries }) => (
        <Section key={index} title={T.leaf(index, type)}>
          <Text size="sm" mb="xs">
            <Moment at={effectiveAt} /> · {reference.type} {reference.id}
          </Text>
          <DataTable<Posting>
            caption={T.leaf(index, type)}
            rows={entries}
            columns={COLUMNS}
            idOf={({ account, asset, amount }) => [account, asset, amount].join(' ')}
            empty={T.none}
          />
        </Section>
      ))}
      <Text size="sm" c="dimmed" mt="md">
        {T.not}
      </Text>
    </>
  );
}
