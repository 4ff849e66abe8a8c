import { Alert, Button, Checkbox, TextInput } from '@mantine/core';
import '@mantine/core/styles/Checkbox.css';
import '@mantine/core/styles/InlineInput.css';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Answer, type Routes } from '../../api/client.ts';
import { counted } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { Grouped } from '../../ui/values.tsx';
import { ActionPanel } from '../action-panel.tsx';
import styles from '../app.module.css';
import { useAction } from '../intent.ts';
import { useConfirmed } from '../step-up.tsx';

const T = inLanguage({
  url: ['URL', 'URL'],
  events: ['Events', 'Ereignisse'],
  description: ['Description (optional)', 'Beschreibung (freiwillig)'],
  isActive: ['Send events', 'Ereignisse senden'],
  create: ['Create a webhook', 'Webhook anlegen'],
  enter: [
    'Enter a URL that begins with https:// and choose at least one event.',
    'Geben Sie eine URL mit https:// ein und wählen Sie mindestens ein Ereignis.',
  ],
  sentence: [
    (url: string, count: number) =>
      `Sends ${counted(count, 'kind', 'kinds')} of events to ${url}, signed with a secret that is shown once.`,
    (url: string, count: number) =>
      `Sendet ${counted(count, 'Art', 'Arten')} von Ereignissen an ${url}, unterschrieben mit einem Geheimnis, das einmal gezeigt wird.`,
  ],
  once: [
    'This secret is shown only now. Your server checks signatures with it.',
    'Dieses Geheimnis wird nur jetzt gezeigt. Ihr Server prüft damit Unterschriften.',
  ],
  secret: ['Secret', 'Geheimnis'],
  save: ['Save', 'Speichern'],
  cancel: ['Cancel', 'Abbrechen'],
  saveSentence: [
    (url: string, count: number) =>
      `Sends ${counted(count, 'kind', 'kinds')} of events to ${url}. The secret stays.`,
    (url: string, count: number) =>
      `Sendet ${counted(count, 'Art', 'Arten')} von Ereignissen an ${url}. Das Geheimnis bleibt.`,
  ],
  stopSentence: [
    (url: string) =>
      `Sends nothing to ${url} until you switch it on again. Events of that time are not sent later.`,
    (url: string) =>
      `Sendet nichts an ${url}, bis Sie ihn wieder einschalten. Ereignisse dieser Zeit werden nicht nachgeholt.`,
  ],
  unchanged: ['Nothing is changed yet.', 'Es ist noch nichts geändert.'],
  replaceOnly: [
    'A description can be replaced, but not removed.',
    'Eine Beschreibung lässt sich ersetzen, aber nicht entfernen.',
  ],
  saved: ['The webhook is changed.', 'Der Webhook ist geändert.'],
});

type Event = Routes['POST /api/user/webhooks']['body']['events'][number];
export type Webhook = Answer<'GET /api/user/webhooks'>['data'][number];

const EVENTS: Event[] = [
  'deposit.seen',
  'deposit.completed',
  'deposit.held',
  'deposit.failed',
  'investment.created',
  'investment.approved',
  'investment.rejected',
  'investment.partially-closed',
  'investment.closed',
  'investment.moved',
  'investment.cancelled',
  'withdrawal.requested',
  'withdrawal.taken',
  'withdrawal.completed',
  'withdrawal.rejected',
  'withdrawal.cancelled',
  'withdrawal.failed',
  'withdrawal.released',
  'log.checkpoint',
];

interface Entered {
  url: string;
  description: string;
  events: Event[];
}

const isComplete = ({ url, events }: Entered) => URL.canParse(url.trim()) && events.length > 0;

/** A description cannot be empty: an absent one is none, or in a change the former one. */
function bodyOf({ url, description, events }: Entered) {
  const text = description.trim();
  return { url: url.trim(), events, ...(text ? { description: text } : {}) };
}

function Fields({ entered, onChange }: { entered: Entered; onChange: (entered: Entered) => void }) {
  const { url, description, events } = entered;
  const toggle = (event: Event, isChosen: boolean) =>
    EVENTS.filter((one) => (one === event ? isChosen : events.includes(one)));
  return (
    <>
      <TextInput
        label={T.url}
        type="url"
        value={url}
        onChange={({ currentTarget: { value } }) => onChange({ ...entered, url: value })}
      />
      <TextInput
        label={T.description}
        maxLength={200}
        value={description}
        onChange={({ currentTarget: { value } }) => onChange({ ...entered, description: value })}
      />
      <fieldset className={styles.fieldset}>
        <legend>{T.events}</legend>
        {EVENTS.map((event) => (
          <Checkbox
            key={event}
            label={event}
            checked={events.includes(event)}
            onChange={({ currentTarget: { checked } }) =>
              onChange({ ...entered, events: toggle(event, checked) })
            }
          />
        ))}
      </fieldset>
    </>
  );
}

const NOTHING: Entered = { url: '', description: '', events: ['deposit.completed', 'withdrawal.completed'] };

export function NewWebhook() {
  const queries = useQueryClient();
  const confirmed = useConfirmed();
  const action = useAction<string>();
  const [entered, setEntered] = useState(NOTHING);
  const body = bodyOf(entered);
  const sentence = T.sentence(body.url, body.events.length);
  const create = async () => {
    const secret = await action.run(body, () =>
      confirmed({ action: 'webhook.create', details: { url: body.url }, sentence }, async (stepUp) => {
        const { data } = await api.call('POST /api/user/webhooks', { body, stepUp });
        return data.secret;
      }),
    );
    if (secret === undefined) return;
    setEntered(NOTHING);
    await queries.invalidateQueries();
  };
  return (
    <div className={styles.form}>
      <Fields entered={entered} onChange={setEntered} />
      <ActionPanel
        sentence={sentence}
        disabledBecause={!isComplete(entered) && T.enter}
        label={T.create}
        action={action}
        onAct={create}
        outcome={(secret) => (
          <Alert color="yellow" title={T.once}>
            <Grouped value={secret} label={T.secret} />
          </Alert>
        )}
      />
    </div>
  );
}

interface EditedWebhookProps {
  webhook: Webhook;
  onDone: (outcome?: string) => void;
}

/** Changes what a webhook receives, and switches it on or off. */
export function EditedWebhook({ webhook, onDone }: EditedWebhookProps) {
  const queries = useQueryClient();
  const confirmed = useConfirmed();
  const action = useAction<string>();
  const former: Entered = {
    url: webhook.url,
    description: webhook.description ?? '',
    events: EVENTS.filter((event) => (webhook.events as string[]).includes(event)),
  };
  const [entered, setEntered] = useState(former);
  const [isActive, setActive] = useState(webhook.status === 'active');
  const status = isActive ? ('active' as const) : ('disabled' as const);
  const body = { ...bodyOf(entered), status };
  const isChanged =
    JSON.stringify(entered) !== JSON.stringify(former) || isActive !== (webhook.status === 'active');
  const sentence = isActive ? T.saveSentence(body.url, body.events.length) : T.stopSentence(body.url);
  const isRemoved = former.description !== '' && entered.description.trim() === '';
  const problem = !isComplete(entered) ? T.enter : isRemoved ? T.replaceOnly : !isChanged && T.unchanged;
  const save = async () => {
    const saved = await action.run(body, () =>
      confirmed({ action: 'webhook.change', details: { url: body.url }, sentence }, async (stepUp) => {
        await api.call('PUT /api/user/webhooks/{id}', { path: { id: webhook.id }, body, stepUp });
        return T.saved;
      }),
    );
    await queries.invalidateQueries();
    if (saved !== undefined) onDone(saved);
  };
  return (
    <div className={styles.form}>
      <Fields entered={entered} onChange={setEntered} />
      <Checkbox
        label={T.isActive}
        checked={isActive}
        onChange={(event) => setActive(event.currentTarget.checked)}
      />
      <ActionPanel
        sentence={sentence}
        disabledBecause={problem}
        label={T.save}
        action={action}
        onAct={save}
        outcome={(text) => text}
      />
      <div>
        <Button size="compact-sm" variant="default" onClick={() => onDone()}>
          {T.cancel}
        </Button>
      </div>
    </div>
  );
}
