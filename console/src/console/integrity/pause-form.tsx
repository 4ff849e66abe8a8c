import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { isWaiting } from '../../api/refused-state.ts';
import { withStepUp } from '../../api/step-up.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { inLanguage } from '../../ui/language.ts';
import { ReasonField } from '../../ui/reason-field.tsx';
import { showOutcome } from '../outcome.ts';

export type PauseAction = 'pause' | 'resume';

const TITLE = inLanguage({
  pause: ['Pause withdrawals', 'Auszahlungen anhalten'],
  resume: ['Resume withdrawals', 'Auszahlungen fortsetzen'],
});
const EFFECT = inLanguage({
  pause: [
    'Withdrawals can no longer be requested, approved, taken or executed, until admins resume them.',
    'Auszahlungen können nicht mehr beantragt, freigegeben, übernommen oder ausgeführt werden, bis Admins sie fortsetzen.',
  ],
  resume: [
    'Checks the ledger once more and resumes withdrawals, after a second admin has approved it where one is required. Violations that remain are acknowledged.',
    'Prüft das Hauptbuch noch einmal und setzt Auszahlungen fort, wo nötig erst nach der Freigabe eines zweiten Admins. Verbleibende Verletzungen werden anerkannt.',
  ],
});
const DONE = inLanguage({
  pause: ['Withdrawals are paused', 'Auszahlungen sind angehalten'],
  resume: ['Withdrawals are open again', 'Auszahlungen laufen wieder'],
});
const T = inLanguage({
  reason: ['Reason', 'Grund'],
  missing: ['Enter the reason.', 'Geben Sie den Grund ein.'],
});

const pause = async (reason: string) =>
  (await api.call('POST /api/admin/integrity/pause', { body: { reason } })).data;

const resume = (reason: string) =>
  withStepUp({ action: 'integrity.resume', details: {} }, async (token) => {
    const request = { body: { reason }, ...token };
    return (await api.call('POST /api/admin/integrity/resume', request)).data;
  });

interface PauseFormProps {
  action: PauseAction;
  /** Reads again what may have changed. Called after a rejection, too. */
  onDone: () => Promise<unknown>;
  onClose: () => void;
}

/** Asks for the reason of a pause of withdrawals or of its end. */
export function PauseForm({ action, onDone, onClose }: PauseFormProps) {
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const reason = text.trim();
  const confirm = async () => {
    try {
      const data = await (action === 'pause' ? pause : resume)(reason);
      showOutcome(DONE[action], { isWaiting: isWaiting(data) });
    } finally {
      await queries.invalidateQueries({ queryKey: ['approvals'] });
      await onDone();
    }
  };
  return (
    <ActionDialog
      title={TITLE[action]}
      effect={EFFECT[action]}
      confirm={TITLE[action]}
      isDangerous={action === 'pause'}
      blocked={reason === '' ? T.missing : undefined}
      onConfirm={confirm}
      onClose={onClose}
    >
      <ReasonField label={T.reason} value={text} onChange={setText} />
    </ActionDialog>
  );
}
