import { useState } from 'react';
import type { DepositResponse } from 'stablecoin-platform-client/routes';
import { useRead } from '../api/use-read.ts';
import { inLanguage } from '../ui/language.ts';
import { Moment } from '../ui/values.tsx';
import styles from './app.module.css';
import { Pager } from './pager.tsx';
import { DataTable, Empty, Loaded, Money, ShortAddress, Status } from './parts.tsx';
import { DEPOSIT_STATUS } from './statuses.ts';

const T = inLanguage({
  deposits: ['Deposits', 'Einzahlungen'],
  seen: ['Seen', 'Gesehen'],
  amount: ['Amount', 'Betrag'],
  network: ['Network', 'Netz'],
  state: ['State', 'Stand'],
  confirmations: ['Confirmations', 'Bestätigungen'],
  hash: ['Transaction', 'Transaktion'],
  none: [
    'No transfer has been seen yet. It shows here by itself, usually within a minute.',
    'Noch wurde keine Überweisung gesehen. Sie erscheint hier von selbst, meist in einer Minute.',
  ],
});

const UNFINISHED_MS = 2_000;

/** The user's deposits. Their confirmations are read again while one is unfinished, since no event reports each of them. */
export function DepositTable() {
  const [page, setPage] = useState(1);
  const query = useRead(
    'GET /api/user/deposits',
    { query: { page, limit: 10 } },
    {
      keepPrevious: true,
      refetchInterval: (answer) => (answer?.data.some(isUnfinished) ? UNFINISHED_MS : false),
    },
  );
  return (
    <Loaded query={query}>
      {({ data, pagination }) =>
        data.length === 0 ? (
          <Empty>{T.none}</Empty>
        ) : (
          <>
            <DataTable
              label={T.deposits}
              rows={data}
              columns={[
                { name: T.seen, cell: ({ createdAt }) => <Moment at={createdAt} /> },
                { name: T.network, cell: ({ network }) => network },
                { name: T.state, cell: (deposit) => <State deposit={deposit} /> },
                { name: T.confirmations, cell: (deposit) => <Confirmations deposit={deposit} /> },
                { name: T.hash, cell: ({ txHash }) => <ShortAddress value={txHash} label={T.hash} /> },
                {
                  name: T.amount,
                  isNumber: true,
                  cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
                },
              ]}
            />
            <Pager pagination={pagination} onPage={setPage} />
          </>
        )
      }
    </Loaded>
  );
}

const isUnfinished = ({ status }: DepositResponse) => status === 'pending' || status === 'confirming';

function State({ deposit: { status, metadata } }: { deposit: DepositResponse }) {
  return (
    <>
      <Status status={status}>{DEPOSIT_STATUS[status]}</Status>
      {metadata.reason && <p className={styles.hint}>{metadata.reason}</p>}
      {metadata.nextStep && <p className={styles.hint}>{metadata.nextStep}</p>}
    </>
  );
}

function Confirmations({ deposit: { confirmations, requiredConfirmations } }: { deposit: DepositResponse }) {
  const reached = Math.min(confirmations, requiredConfirmations);
  return (
    <>
      <progress
        className={styles.progress}
        value={reached}
        max={requiredConfirmations}
        aria-label={T.confirmations}
      />{' '}
      {reached}/{requiredConfirmations}
    </>
  );
}
