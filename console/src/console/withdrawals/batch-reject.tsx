import { Text } from '@mantine/core';
import { useState } from 'react';
import { BATCH_LIMIT, rejectWithdrawals } from '../../api/withdrawal-batches.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { inLanguage } from '../../ui/language.ts';
import { ReasonField } from '../../ui/reason-field.tsx';
import { BatchRow, BatchStatus, type BatchItem } from './batch-item.tsx';
import { afterBatch, refusalOf, useBatch } from './use-batch.ts';

const T = inLanguage({
  title: ['Reject withdrawals', 'Auszahlungen ablehnen'],
  effect: [
    'The amounts are available to the users again, and each user reads the reason. Never reject one that was paid. This cannot be undone.',
    'Die Beträge sind für die Nutzer wieder verfügbar, und jeder Nutzer liest den Grund. Nie eine gezahlte ablehnen. Das lässt sich nicht rückgängig machen.',
  ],
  withdrawals: ['Withdrawals', 'Auszahlungen'],
  reason: ['Reason', 'Grund'],
  reasonForUsers: ['All these users read it.', 'Alle diese Nutzer lesen ihn.'],
  reasonMissing: ['Enter the reason.', 'Geben Sie den Grund ein.'],
  reject: [(count: number) => `Reject ${count}`, (count: number) => `${count} ablehnen`],
});

interface BatchRejectProps {
  selected: readonly BatchItem[];
  onChanged: (ids: readonly string[]) => void;
  onClose: () => void;
}

/** Rejects several withdrawals for one reason. */
export function BatchReject({ selected, onChanged, onClose }: BatchRejectProps) {
  const [reason, setReason] = useState('');
  const { outcomes, sentCount, send } = useBatch(onChanged);
  const ids = selected.flatMap(({ id }) => (outcomes.get(id) === 'done' ? [] : id)).slice(0, BATCH_LIMIT);
  const entered = reason.trim();
  const confirm = async () => {
    const content = ids.map((id) => ({ id, reason: entered }));
    return afterBatch(await send(content, (key) => rejectWithdrawals(ids, entered, key)));
  };
  return (
    <ActionDialog
      title={T.title}
      effect={T.effect}
      confirm={T.reject(ids.length)}
      isDangerous
      blocked={entered === '' ? T.reasonMissing : undefined}
      onConfirm={confirm}
      onClose={onClose}
    >
      <ul className="batch" aria-label={T.withdrawals}>
        {selected.map((item) => (
          <BatchRow key={item.id} item={item} outcome={outcomes.get(item.id)}>
            <Text size="sm" c="var(--mantine-color-error)">
              {refusalOf(outcomes.get(item.id))}
            </Text>
          </BatchRow>
        ))}
      </ul>
      <ReasonField label={T.reason} description={T.reasonForUsers} value={reason} onChange={setReason} />
      <BatchStatus outcomes={outcomes} sentCount={sentCount} />
    </ActionDialog>
  );
}
