import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { inLanguage } from '../../ui/language.ts';
import { Grouped, Moment } from '../../ui/values.tsx';
import { ActionOutcome } from '../action-panel.tsx';
import styles from '../app.module.css';
import { AskingButton } from '../asking-button.tsx';
import { useAction } from '../intent.ts';
import { Card, DataTable, Empty, Loaded, Status } from '../parts.tsx';
import { useConfirmed } from '../step-up.tsx';
import { EditedWebhook, NewWebhook, type Webhook } from './webhook-form.tsx';

const T = inLanguage({
  title: ['Webhooks', 'Webhooks'],
  none: ['There are no webhooks. Create one below.', 'Es gibt keine Webhooks. Legen Sie unten einen an.'],
  state: ['State', 'Stand'],
  active: ['active', 'aktiv'],
  disabled: ['disabled', 'ausgeschaltet'],
  user: ['switched off by you', 'von Ihnen ausgeschaltet'],
  gone: [
    'the server answered that it is gone (410)',
    'der Server antwortete, dass es ihn nicht mehr gibt (410)',
  ],
  failing: ['no delivery has succeeded for three days', 'seit drei Tagen gelang keine Zustellung'],
  'email-changed': [
    'the e-mail address of the account was changed',
    'die E-Mail-Adresse des Kontos wurde geändert',
  ],
  backlog: ['too many deliveries were waiting', 'zu viele Zustellungen warteten'],
  change: ['Change', 'Ändern'],
  test: ['Send a test', 'Test senden'],
  tested: [
    'A test event is sent. Its delivery shows below.',
    'Ein Testereignis ist unterwegs. Die Zustellung steht unten.',
  ],
  rotate: ['New secret', 'Neues Geheimnis'],
  rotateSentence: [
    (url: string) => `Replace the secret of ${url}. For 24 hours the former one signs, too.`,
    (url: string) => `Das Geheimnis von ${url} ersetzen. 24 Stunden lang unterschreibt auch das alte.`,
  ],
  remove: ['Delete', 'Löschen'],
  removeSentence: [
    (url: string) => `Delete the webhook ${url} and its deliveries.`,
    (url: string) => `Den Webhook ${url} und seine Zustellungen löschen.`,
  ],
  removed: ['The webhook is deleted.', 'Der Webhook ist gelöscht.'],
  confirmChange: [(url: string) => `Change the webhook ${url}`, (url: string) => `Den Webhook ${url} ändern`],
  deliveries: ['Deliveries of the last thirty days', 'Zustellungen der letzten dreißig Tage'],
  event: ['Event', 'Ereignis'],
  attempts: ['Attempts', 'Versuche'],
  answer: ['Answer', 'Antwort'],
  time: ['Time', 'Zeit'],
  noDeliveries: ['Nothing has been delivered yet.', 'Es wurde noch nichts zugestellt.'],
  pending: ['pending', 'offen'],
  delivered: ['delivered', 'zugestellt'],
  dead: ['given up', 'aufgegeben'],
  again: ['Send again', 'Noch einmal senden'],
  create: ['Create a webhook', 'Webhook anlegen'],
  edit: ['Edit', 'Bearbeiten'],
  once: [
    'This secret is shown only now. Your server checks signatures with it.',
    'Dieses Geheimnis wird nur jetzt gezeigt. Ihr Server prüft damit Unterschriften.',
  ],
  secret: ['Secret', 'Geheimnis'],
  sentAgain: ['The event is sent again.', 'Das Ereignis wird noch einmal gesendet.'],
});

export function Webhooks() {
  const query = useRead('GET /api/user/webhooks');
  return (
    <>
      <Card title={T.title}>
        <Loaded query={query}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty>{T.none}</Empty>
            ) : (
              data.map((one) => <Item key={one.id} webhook={one} />)
            )
          }
        </Loaded>
      </Card>
      <Card title={T.create}>
        <NewWebhook />
      </Card>
    </>
  );
}

function Item({ webhook }: { webhook: Webhook }) {
  const { id, url, description, events, status, disabledReason } = webhook;
  const [isEdited, setEdited] = useState(false);
  const queries = useQueryClient();
  const confirmed = useConfirmed();
  const action = useAction<{ text: string; secret?: string }>();
  const change = async (
    intent: string,
    perform: (stepUp?: string) => Promise<{ text: string; secret?: string }>,
  ) => {
    const what = { action: 'webhook.change' as const, details: { url }, sentence: T.confirmChange(url) };
    await action.run(intent, () => confirmed(what, perform));
    await queries.invalidateQueries();
  };
  const path = { id };
  const remove = (stepUp?: string) =>
    api.call('DELETE /api/user/webhooks/{id}', { path, stepUp }).then(() => ({ text: T.removed }));
  const rotate = async (stepUp?: string) => {
    const { data } = await api.call('POST /api/user/webhooks/{id}/rotate-secret', { path, stepUp });
    return { text: T.once, secret: data.secret };
  };
  const test = () => api.call('POST /api/user/webhooks/{id}/test', { path }).then(() => ({ text: T.tested }));
  return (
    <section aria-label={url} className={styles.item}>
      <p>
        <strong>{url}</strong> <Status status={status}>{T[status]}</Status>
      </p>
      {disabledReason && <p className={styles.hint}>{T[disabledReason]}</p>}
      {description && <p>{description}</p>}
      <p className={styles.hint}>{events.join(', ')}</p>
      {isEdited && (
        <EditedWebhook
          webhook={webhook}
          onDone={(text) => {
            setEdited(false);
            // Shows the outcome of the form where the outcomes of the other actions show.
            if (text) void action.run('edited', () => Promise.resolve({ text }));
          }}
        />
      )}
      <div className={styles.actions}>
        <Button
          size="compact-sm"
          variant="default"
          aria-expanded={isEdited}
          onClick={() => setEdited(!isEdited)}
        >
          {T.edit}
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => void change('test', test)}>
          {T.test}
        </Button>
        <AskingButton
          label={T.rotate}
          sentence={T.rotateSentence(url)}
          onAct={() => change('rotate', rotate)}
        />
        <AskingButton
          label={T.remove}
          sentence={T.removeSentence(url)}
          onAct={() => change('remove', remove)}
        />
      </div>
      <ActionOutcome action={action}>
        {({ text, secret }) => (
          <>
            {text} {secret && <Grouped value={secret} label={T.secret} />}
          </>
        )}
      </ActionOutcome>
      <details className={styles.details}>
        <summary>{T.deliveries}</summary>
        <Deliveries id={id} />
      </details>
    </section>
  );
}

function Deliveries({ id }: { id: string }) {
  const queries = useQueryClient();
  const query = useRead('GET /api/user/webhooks/{id}/deliveries', { path: { id }, query: { limit: 20 } });
  const action = useAction<string>();
  const repeat = async (deliveryId: string) => {
    const path = { id, deliveryId };
    await action.run(deliveryId, async () => {
      await api.call('POST /api/user/webhooks/{id}/deliveries/{deliveryId}/redeliver', { path });
      return T.sentAgain;
    });
    await queries.invalidateQueries();
  };
  return (
    <>
      <ActionOutcome action={action}>{(text) => text}</ActionOutcome>
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>{T.noDeliveries}</Empty>
          ) : (
            <DataTable
              label={T.deliveries}
              rows={data}
              columns={[
                { name: T.time, cell: ({ createdAt }) => <Moment at={createdAt} /> },
                { name: T.event, cell: ({ event }) => event },
                { name: T.state, cell: ({ status }) => <Status status={status}>{T[status]}</Status> },
                { name: T.attempts, isNumber: true, cell: ({ attempts }) => attempts },
                { name: T.answer, cell: ({ responseStatus, failure }) => responseStatus ?? failure ?? '–' },
                {
                  name: T.change,
                  cell: (delivery) => (
                    <Button size="compact-xs" variant="default" onClick={() => void repeat(delivery.id)}>
                      {T.again}
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </>
  );
}
