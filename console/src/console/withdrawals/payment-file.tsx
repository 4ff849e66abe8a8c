import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { inLanguage } from '../../ui/language.ts';
import { saveFile } from '../../ui/save-file.ts';

const T = inLanguage({
  title: ['Payment file', 'Zahlungsdatei'],
  effect: [
    'A CSV with what you have taken and not completed. Every file lists a payment again until it is completed: give the custody provider the id as the reference of each payment, so that it refuses a second one.',
    'Ein CSV mit dem, was Sie übernommen und nicht abgeschlossen haben. Jede Datei führt eine Zahlung wieder auf, bis sie abgeschlossen ist: Geben Sie der Verwahrstelle die Id als Referenz jeder Zahlung, damit sie eine zweite ablehnt.',
  ],
  since: ['Only what was taken since (optional)', 'Nur seither Übernommenes (freiwillig)'],
  sinceMeaning: [
    'In your time zone, such as the time of the last file',
    'In Ihrer Zeitzone, etwa die Zeit der letzten Datei',
  ],
  save: ['Save the file', 'Datei speichern'],
});

/** Saves the payments to make as a file for the custody provider. */
export function PaymentFile({ onClose }: { onClose: () => void }) {
  const [since, setSince] = useState('');
  const save = async () => {
    const takenAfter = since ? { takenAfter: new Date(since).toISOString() } : {};
    const request = { query: { format: 'csv' as const, ...takenAfter } };
    saveFile('payments.csv', await api.call('GET /api/admin/withdrawals/payment-file', request), 'text/csv');
  };
  return (
    <ActionDialog title={T.title} effect={T.effect} confirm={T.save} onConfirm={save} onClose={onClose}>
      <TextInput
        type="datetime-local"
        label={T.since}
        description={T.sinceMeaning}
        value={since}
        onChange={(event) => setSince(event.currentTarget.value)}
      />
    </ActionDialog>
  );
}
