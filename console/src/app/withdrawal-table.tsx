import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { WithdrawalDetailResponse, WithdrawalResponse } from 'stablecoin-platform-client/routes';
import { api } from '../api/client.ts';
import { useRead } from '../api/use-read.ts';
import { inLanguage } from '../ui/language.ts';
import { Moment } from '../ui/values.tsx';
import styles from './app.module.css';
import { ActionOutcome } from './action-panel.tsx';
import { AskingButton } from './asking-button.tsx';
import { formatSum } from './format.ts';
import { useAction } from './intent.ts';
import { Pager } from './pager.tsx';
import { DataTable, Empty, Loaded, Money, ShortAddress, Status } from './parts.tsx';
import { WITHDRAWAL_STATUS } from './statuses.ts';

const T = inLanguage({
  withdrawals: ['Withdrawals', 'Auszahlungen'],
  requested: ['Requested', 'Beantragt'],
  state: ['State', 'Stand'],
  to: ['To', 'An'],
  hash: ['Transaction', 'Transaktion'],
  amount: ['Amount', 'Betrag'],
  cancel: ['Cancel', 'Stornieren'],
  cancelQuestion: ['Cancel the withdrawal', 'Auszahlung stornieren'],
  cancelSentence: [
    (sum: string) => `Cancels the withdrawal and makes ${sum} available again. To withdraw, request it anew.`,
    (sum: string) =>
      `Storniert die Auszahlung und macht ${sum} wieder verfügbar. Zum Auszahlen beantragen Sie sie neu.`,
  ],
  cancelled: ['cancelled', 'storniert'],
  done: [
    (sum: string) => `Cancelled: ${sum} are available again.`,
    (sum: string) => `Storniert: ${sum} sind wieder verfügbar.`,
  ],
  returned: ['The amount is available again.', 'Der Betrag ist wieder verfügbar.'],
  held: ['waits for room in the limit of the platform', 'wartet auf Platz in der Grenze der Plattform'],
  none: ['Nothing has been withdrawn yet.', 'Es wurde noch nichts ausgezahlt.'],
  nextStep: ['Next', 'Weiter'],
});

/** The user's withdrawals. `onCancelled` receives the id of a withdrawal that the user has cancelled. */
export function WithdrawalTable({ onCancelled }: { onCancelled: (id: string) => void }) {
  const [page, setPage] = useState(1);
  const query = useRead('GET /api/user/withdrawals', { query: { page, limit: 10 } }, { keepPrevious: true });
  const queries = useQueryClient();
  const action = useAction<WithdrawalDetailResponse>('withdrawal.cancel');
  const cancel = async (id: string) => {
    const cancelled = await action.run(id, async (idempotencyKey) => {
      const { data } = await api.call('POST /api/user/withdrawals/{id}/cancel', {
        path: { id },
        idempotencyKey,
      });
      return data;
    });
    if (cancelled) onCancelled(id);
    await queries.invalidateQueries();
  };
  return (
    <>
      <ActionOutcome action={action}>{({ amount }) => T.done(formatSum(amount))}</ActionOutcome>
      <Loaded query={query}>
        {({ data: { requests }, pagination }) =>
          requests.length === 0 ? (
            <Empty>{T.none}</Empty>
          ) : (
            <>
              <DataTable
                label={T.withdrawals}
                rows={requests}
                columns={[
                  { name: T.requested, cell: ({ createdAt }) => <Moment at={createdAt} /> },
                  { name: T.state, cell: (withdrawal) => <State withdrawal={withdrawal} /> },
                  { name: T.to, cell: ({ toAddress }) => <ShortAddress value={toAddress} label={T.to} /> },
                  {
                    name: T.hash,
                    cell: ({ txHash }) => (txHash ? <ShortAddress value={txHash} label={T.hash} /> : '–'),
                  },
                  { name: T.amount, isNumber: true, cell: ({ amount }) => <Money amount={amount} /> },
                  {
                    name: T.nextStep,
                    cell: ({ id, cancellable, amount }) =>
                      cancellable ? (
                        <AskingButton
                          label={T.cancel}
                          question={T.cancelQuestion}
                          sentence={T.cancelSentence(formatSum(amount))}
                          onAct={() => cancel(id)}
                        />
                      ) : (
                        '–'
                      ),
                  },
                ]}
              />
              <Pager pagination={pagination} onPage={setPage} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

function State({ withdrawal }: { withdrawal: WithdrawalResponse }) {
  const { status, cancelledByUser, heldByPlatformLimit, failureReason, returned } = withdrawal;
  const text = cancelledByUser ? T.cancelled : WITHDRAWAL_STATUS[status];
  return (
    <>
      <Status status={cancelledByUser ? 'cancelled' : status}>{heldByPlatformLimit ? T.held : text}</Status>
      {failureReason && <p className={styles.hint}>{failureReason}</p>}
      {returned && <p className={styles.hint}>{T.returned}</p>}
    </>
  );
}
