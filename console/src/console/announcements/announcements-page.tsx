import { Alert, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer, type RequestOf } from '../../api/client.ts';
import { useIntent } from '../../api/intents.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { formatCount, visibleText } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Section } from '../../ui/section.tsx';
import { Moment } from '../../ui/values.tsx';
import { ActionButton } from '../action-button.tsx';

const T = inLanguage({
  title: ['Announcements', 'Ankündigungen'],
  new: ['New announcement', 'Neue Ankündigung'],
  type: ['Kind', 'Art'],
  audience: ['Recipients', 'Empfänger'],
  heading: ['Title', 'Titel'],
  message: ['Message', 'Nachricht'],
  send: ['Send', 'Senden'],
  missing: ['Enter a title and a message.', 'Geben Sie Titel und Nachricht ein.'],
  effect: [
    (audience: string) => `Sends this to: ${audience}. It cannot be called back.`,
    (audience: string) => `Sendet dies an: ${audience}. Es lässt sich nicht zurückholen.`,
  ],
  sent: [
    (count: string) => `Sent to ${count} users; their notifications are written in the background.`,
    (count: string) =>
      `An ${count} Nutzer gesendet; ihre Benachrichtigungen werden im Hintergrund geschrieben.`,
  ],
  note: [
    'Announcements that were sent are in the audit log, as announcement.create.',
    'Gesendete Ankündigungen stehen im Audit-Log, als announcement.create.',
  ],
});
const TYPE = inLanguage({
  system: ['About the service', 'Zum Dienst'],
  promotion: ['Promotion (only users who accept them)', 'Werbung (nur wer sie annimmt)'],
});
const AUDIENCE = inLanguage({
  all: ['all users', 'alle Nutzer'],
  investors: ['users with an open investment', 'Nutzer mit offener Investition'],
});

type Announcement = RequestOf<'POST /api/admin/announcements'>['body'];
type Sent = Answer<'POST /api/admin/announcements'>['data'];
const EMPTY: Announcement = { type: 'system', audience: 'all', title: '', message: '' };
const optionsOf = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }));

/** Writes to all users, or to all investors. */
export default function AnnouncementsPage() {
  const [draft, setDraft] = useState(EMPTY);
  const [isAsked, setAsked] = useState(false);
  const intent = useIntent();
  const [sent, setSent] = useState<Sent>();
  const change = (changes: Partial<Announcement>) => setDraft({ ...draft, ...changes });
  const body = { ...draft, title: draft.title.trim(), message: draft.message.trim() };
  const send = async () => {
    const answer = await intent(body, (idempotencyKey) =>
      api.call('POST /api/admin/announcements', { body, idempotencyKey }),
    );
    setSent(answer.data);
    setDraft(EMPTY);
  };
  return (
    <>
      <PageHead title={T.title} />
      {sent && (
        <Alert color="green" mb="md" role="status" title={visibleText(sent.title)}>
          {T.sent(formatCount(sent.recipients))} <Moment at={sent.createdAt} />
        </Alert>
      )}
      <Section title={T.new}>
        <Stack>
          <NativeSelect
            label={T.type}
            value={draft.type}
            onChange={(event) => change({ type: event.currentTarget.value as Announcement['type'] })}
            data={optionsOf(TYPE)}
          />
          <NativeSelect
            label={T.audience}
            value={draft.audience}
            onChange={(event) => change({ audience: event.currentTarget.value as Announcement['audience'] })}
            data={optionsOf(AUDIENCE)}
          />
          <TextInput
            label={T.heading}
            maxLength={120}
            value={draft.title}
            onChange={(event) => change({ title: event.currentTarget.value })}
          />
          <Textarea
            label={T.message}
            rows={5}
            maxLength={2000}
            value={draft.message}
            onChange={(event) => change({ message: event.currentTarget.value })}
          />
          <ActionButton
            needs="users:write"
            blocked={body.title && body.message ? undefined : T.missing}
            onClick={() => setAsked(true)}
          >
            {T.send}
          </ActionButton>
          <Text size="sm" c="dimmed">
            {T.note}
          </Text>
        </Stack>
      </Section>
      {isAsked && (
        <ActionDialog
          title={visibleText(body.title)}
          effect={T.effect(AUDIENCE[body.audience])}
          confirm={T.send}
          onConfirm={send}
          onClose={() => setAsked(false)}
        >
          <Text className="note">{visibleText(body.message)}</Text>
        </ActionDialog>
      )}
    </>
  );
}
