import { TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { inLanguage } from '../../ui/language.ts';

const T = inLanguage({
  title: ['Hand an event again', 'Ereignis noch einmal übergeben'],
  effect: [
    'The consumers that have passed the event over handle it now; nothing changes if one of them fails again.',
    'Die Verbraucher, die das Ereignis übergangen haben, bearbeiten es jetzt; scheitert einer erneut, ändert sich nichts.',
  ],
  confirm: ['Hand again', 'Übergeben'],
  id: [
    'Id of the event, as the alert or the log names it',
    'Id des Ereignisses, wie Warnung oder Log sie nennen',
  ],
  missing: ['Enter the id.', 'Geben Sie die Id ein.'],
  consumer: ['Only this consumer (optional)', 'Nur dieser Verbraucher (freiwillig)'],
  done: [
    (consumers: string) => `Handled by ${consumers}`,
    (consumers: string) => `Bearbeitet von ${consumers}`,
  ],
});

/** Hands an event again to the consumers that could not handle it. */
export function RepeatForm({ onClose }: { onClose: () => void }) {
  const [id, setId] = useState('');
  const [consumer, setConsumer] = useState('');
  const repeat = async () => {
    const body = consumer.trim() ? { consumer: consumer.trim() } : {};
    const { data } = await api.call('POST /api/admin/events/{id}/repeat', { path: { id: id.trim() }, body });
    notifications.show({ color: 'green', message: T.done(data.consumers.join(', ')) });
  };
  return (
    <ActionDialog
      title={T.title}
      effect={T.effect}
      confirm={T.confirm}
      blocked={id.trim() === '' ? T.missing : undefined}
      onConfirm={repeat}
      onClose={onClose}
    >
      <TextInput
        label={T.id}
        value={id}
        onChange={(event) => setId(event.currentTarget.value)}
        data-autofocus
      />
      <TextInput
        label={T.consumer}
        value={consumer}
        onChange={(event) => setConsumer(event.currentTarget.value)}
      />
    </ActionDialog>
  );
}
