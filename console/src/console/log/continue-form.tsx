import { Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { isWaiting } from '../../api/refused-state.ts';
import { withStepUp } from '../../api/step-up.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { inLanguage } from '../../ui/language.ts';
import { ReasonField } from '../../ui/reason-field.tsx';
import { showOutcome } from '../outcome.ts';

const T = inLanguage({
  title: ['Continue the log after a restore', 'Log nach einer Wiederherstellung fortsetzen'],
  effect: [
    'Transactions enter the log again, where required after the approval of a second admin. This is refused if the restored log contradicts the checkpoint below.',
    'Buchungen kommen wieder ins Log, wo nötig erst nach der Freigabe eines zweiten Admins. Das wird abgelehnt, wenn das wiederhergestellte Log dem Prüfpunkt unten widerspricht.',
  ],
  confirm: ['Continue the log', 'Log fortsetzen'],
  checkpoint: [
    'Newest checkpoint that was published before the restore (optional)',
    'Neuester vor der Wiederherstellung veröffentlichter Prüfpunkt (freiwillig)',
  ],
  reason: ['Reason', 'Grund'],
  missing: ['Enter the reason.', 'Geben Sie den Grund ein.'],
  done: ['The log continues', 'Das Log wird fortgesetzt'],
});

/** Lets transactions enter the log again after the database was restored from a backup. */
export function ContinueForm({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const [checkpoint, setCheckpoint] = useState('');
  const reason = text.trim();
  const confirm = async () => {
    const body = { reason, ...(checkpoint.trim() ? { checkpoint } : {}) };
    const { data } = await withStepUp({ action: 'log.continue', details: {} }, (token) =>
      api.call('POST /api/admin/proofs/continue', { body, ...token }),
    );
    showOutcome(T.done, { isWaiting: isWaiting(data) });
    await queries.invalidateQueries({ queryKey: ['approvals'] });
  };
  return (
    <ActionDialog
      title={T.title}
      effect={T.effect}
      confirm={T.confirm}
      blocked={reason === '' ? T.missing : undefined}
      onConfirm={confirm}
      onClose={onClose}
    >
      <ReasonField label={T.reason} value={text} onChange={setText} />
      <Textarea
        label={T.checkpoint}
        rows={5}
        value={checkpoint}
        onChange={(event) => setCheckpoint(event.currentTarget.value)}
      />
    </ActionDialog>
  );
}
