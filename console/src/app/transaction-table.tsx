import type { TransactionResponse } from 'stablecoin-platform-client/routes';
import { inLanguage } from '../ui/language.ts';
import { Moment } from '../ui/values.tsx';
import { DataTable, Empty, Money, Status, TextLink } from './parts.tsx';
import { TRANSACTION_STATUS, TRANSACTION_TYPE } from './statuses.ts';

const T = inLanguage({
  entries: ['Entries', 'Buchungen'],
  time: ['Time', 'Zeit'],
  type: ['Kind', 'Art'],
  text: ['Text', 'Text'],
  state: ['State', 'Stand'],
  change: ['Change of the balance', 'Änderung des Guthabens'],
  none: ['There are no entries here.', 'Hier gibt es keine Buchungen.'],
  deposit: ['Deposit', 'Einzahlen'],
});

/** Entries of the user's history, each with a link to its details. */
export function TransactionTable({ rows }: { rows: TransactionResponse[] }) {
  if (rows.length === 0)
    return (
      <Empty to="/deposit" action={T.deposit}>
        {T.none}
      </Empty>
    );
  return (
    <DataTable
      label={T.entries}
      rows={rows}
      columns={[
        { name: T.time, cell: ({ createdAt }) => <Moment at={createdAt} /> },
        {
          name: T.type,
          cell: ({ id, type }) => <TextLink to={`/history/${id}`}>{TRANSACTION_TYPE[type]}</TextLink>,
        },
        { name: T.text, cell: ({ metadata }) => metadata.description },
        {
          name: T.state,
          cell: ({ status }) => <Status status={status}>{TRANSACTION_STATUS[status]}</Status>,
        },
        {
          name: T.change,
          isNumber: true,
          cell: ({ metadata, currency }) => <Money amount={metadata.balanceChange} currency={currency} />,
        },
      ]}
    />
  );
}
