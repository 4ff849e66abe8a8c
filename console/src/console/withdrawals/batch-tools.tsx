import { Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { takeWithdrawals } from '../../api/withdrawal-batches.ts';
import type { QueuedWithdrawal, Status, Withdrawal } from '../../api/withdrawals.ts';
import { textOf } from '../../ui/error-texts.ts';
import { messageOf } from '../../ui/failure.tsx';
import { inLanguage } from '../../ui/language.ts';
import { BatchComplete } from './batch-complete.tsx';
import type { BatchItem } from './batch-item.tsx';
import { BatchReject } from './batch-reject.tsx';
import { PaymentFile } from './payment-file.tsx';
import { useBatch } from './use-batch.ts';

const T = inLanguage({
  selected: [(count: number) => `${count} selected`, (count: number) => `${count} ausgewählt`],
  take: [
    (count: number) => `Take the ${count} selected`,
    (count: number) => `${count} ausgewählte übernehmen`,
  ],
  reject: [
    (count: number) => `Reject the ${count} selected`,
    (count: number) => `${count} ausgewählte ablehnen`,
  ],
  complete: [
    (count: number) => `Complete the ${count} selected`,
    (count: number) => `${count} ausgewählte abschließen`,
  ],
  enter: ['Enter payments', 'Zahlungen eintragen'],
  file: ['Payment file', 'Zahlungsdatei'],
  taken: [
    (taken: number, failed: number) => `${taken} taken, ${failed} refused`,
    (taken: number, failed: number) => `${taken} übernommen, ${failed} abgelehnt`,
  ],
});

type Step = 'take' | 'reject' | 'complete' | 'file';

/** What can be done with several withdrawals of a status. */
const STEPS: Partial<Record<Status, readonly Step[]>> = {
  pending: ['take', 'reject'],
  approved: ['reject'],
  processing: ['complete', 'file', 'reject'],
  failed: ['complete'],
};
export const hasBatches = (status: Status): boolean => status in STEPS;

interface BatchToolsProps {
  status: Status;
  selected: readonly (Withdrawal | QueuedWithdrawal)[];
  /** Called with those that a batch has changed; those that were refused stay selected. */
  onChanged: (ids: readonly string[]) => void;
}

/** Buttons for several withdrawals. The number of those selected is announced. */
export function BatchTools({ status, selected, onChanged }: BatchToolsProps) {
  const [asked, setAsked] = useState<{ Dialog: typeof BatchComplete; items: readonly BatchItem[] }>();
  const [asksForFile, setAsksForFile] = useState(false);
  const steps = STEPS[status] ?? [];
  const count = selected.length;
  const ask = (Dialog: typeof BatchComplete) => setAsked({ Dialog, items: selected.map(toItem) });
  return (
    <>
      {steps.includes('take') && count > 0 && (
        <BatchTake ids={selected.map(({ id }) => id)} onChanged={onChanged} />
      )}
      {steps.includes('complete') && (
        <Button size="xs" variant={count > 0 ? 'filled' : 'default'} onClick={() => ask(BatchComplete)}>
          {count > 0 ? T.complete(count) : T.enter}
        </Button>
      )}
      {steps.includes('file') && (
        <Button size="xs" variant="default" onClick={() => setAsksForFile(true)}>
          {T.file}
        </Button>
      )}
      {steps.includes('reject') && count > 0 && (
        <Button size="xs" variant="default" onClick={() => ask(BatchReject)}>
          {T.reject(count)}
        </Button>
      )}
      <Text size="sm" role="status">
        {count > 0 && T.selected(count)}
      </Text>
      {asked && (
        <asked.Dialog selected={asked.items} onChanged={onChanged} onClose={() => setAsked(undefined)} />
      )}
      {asksForFile && <PaymentFile onClose={() => setAsksForFile(false)} />}
    </>
  );
}

const toItem = ({ id, userEmail, amount, destinationAddress }: Withdrawal | QueuedWithdrawal): BatchItem => ({
  ...{ id, userEmail, amount },
  address: destinationAddress,
});

interface BatchTakeProps {
  ids: string[];
  onChanged: (ids: readonly string[]) => void;
}

function BatchTake({ ids, onChanged }: BatchTakeProps) {
  const { send, sentCount } = useBatch(onChanged);
  const take = async () => {
    try {
      const { changed, failed } = await send(ids, (key) => takeWithdrawals(ids, key));
      notifications.show({
        color: failed.length > 0 ? 'red' : 'green',
        title: T.taken(changed.length, failed.length),
        message: failed
          .map(({ id, code, message }) => `${id.slice(-6)}: ${textOf({ code, message })}`)
          .join(' '),
        autoClose: failed.length > 0 ? false : 4000,
      });
    } catch (error) {
      notifications.show({ color: 'red', message: messageOf(error), autoClose: false });
    }
  };
  return (
    <Button size="xs" loading={sentCount > 0} onClick={() => void take()}>
      {T.take(ids.length)}
    </Button>
  );
}
