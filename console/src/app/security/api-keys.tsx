import { Alert, Checkbox, TextInput } from '@mantine/core';
import '@mantine/core/styles/Checkbox.css';
import '@mantine/core/styles/InlineInput.css';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreateApiKeyRequest, CreatedApiKeyResponse } from 'stablecoin-platform-client/routes';
import { api } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { formatMoment } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { Grouped, Moment } from '../../ui/values.tsx';
import { ActionOutcome, ActionPanel } from '../action-panel.tsx';
import styles from '../app.module.css';
import { AskingButton } from '../asking-button.tsx';
import { useAction } from '../intent.ts';
import { Card, DataTable, Empty, Loaded } from '../parts.tsx';
import { useConfirmed } from '../step-up.tsx';

const T = inLanguage({
  title: ['API keys', 'API-Schlüssel'],
  none: ['There are no keys. Create one below.', 'Es gibt keine Schlüssel. Legen Sie unten einen an.'],
  name: ['Name', 'Name'],
  scopes: ['What it may do', 'Was er darf'],
  created: ['Created', 'Angelegt'],
  used: ['Last used', 'Zuletzt benutzt'],
  never: ['never', 'nie'],
  change: ['Change', 'Ändern'],
  revoke: ['Revoke', 'Widerrufen'],
  revokeSentence: [
    (name: string) => `Revoke the key “${name}”: programs that use it are refused from now on.`,
    (name: string) =>
      `Den Schlüssel „${name}“ widerrufen: Programme, die ihn verwenden, werden ab jetzt abgewiesen.`,
  ],
  revoked: [(name: string) => `“${name}” is revoked.`, (name: string) => `„${name}“ ist widerrufen.`],
  create: ['Create a key', 'Schlüssel anlegen'],
  enter: [
    'Enter a name and choose at least one scope.',
    'Geben Sie einen Namen ein und wählen Sie mindestens eine Befugnis.',
  ],
  sentence: [
    (name: string, scopes: string, limits: string) =>
      `Creates the key “${name}”, which may: ${scopes}.${limits}`,
    (name: string, scopes: string, limits: string) =>
      `Legt den Schlüssel „${name}“ an. Er darf: ${scopes}.${limits}`,
  ],
  untilSentence: [
    (until: string) => ` It is valid until ${until}.`,
    (until: string) => ` Er gilt bis ${until}.`,
  ],
  fromSentence: [
    (networks: string) => ` It works only from ${networks}.`,
    (networks: string) => ` Er wirkt nur aus ${networks}.`,
  ],
  lastDay: ['Last day of validity (UTC)', 'Letzter Tag der Gültigkeit (UTC)'],
  lastDayHint: ['Empty: the key does not expire.', 'Leer: Der Schlüssel läuft nicht ab.'],
  networks: ['Allowed networks', 'Erlaubte Netze'],
  networksHint: [
    'Addresses or networks such as 203.0.113.0/24, separated by commas. Empty: from everywhere.',
    'Adressen oder Netze wie 203.0.113.0/24, durch Kommas getrennt. Leer: von überall.',
  ],
  expires: ['Valid until', 'Gültig bis'],
  unlimited: ['does not expire', 'läuft nicht ab'],
  everywhere: ['everywhere', 'überall'],
  once: [
    'This key is shown only now. Copy it to your program.',
    'Dieser Schlüssel wird nur jetzt gezeigt. Kopieren Sie ihn in Ihr Programm.',
  ],
  key: ['API key', 'API-Schlüssel'],
});

type Scope = CreateApiKeyRequest['scopes'][number];
const SCOPES: Scope[] = [
  'balance:read',
  'investments:read',
  'investments:write',
  'deposits:read',
  'withdrawals:read',
  'withdrawals:write',
  'transactions:read',
  'notifications:read',
];

/** The service takes networks; an address alone is the network of this address. */
const networksOf = (typed: string): string[] =>
  typed
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map((one) => (one.includes('/') ? one : `${one}/${one.includes(':') ? 128 : 32}`));

export function ApiKeys() {
  const query = useRead('GET /api/user/api-keys');
  const queries = useQueryClient();
  const action = useAction<string>();
  const revoke = async (id: string, name: string) => {
    await action.run(id, async () => {
      await api.call('DELETE /api/user/api-keys/{id}', { path: { id } });
      return T.revoked(name);
    });
    await queries.invalidateQueries();
  };
  return (
    <Card title={T.title}>
      <ActionOutcome action={action}>{(text) => text}</ActionOutcome>
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>{T.none}</Empty>
          ) : (
            <DataTable
              label={T.title}
              rows={data}
              columns={[
                {
                  name: T.name,
                  cell: ({ name, prefix }) => (
                    <>
                      {name} <code>{prefix}…</code>
                    </>
                  ),
                },
                { name: T.scopes, cell: ({ scopes }) => scopes.join(', ') },
                { name: T.networks, cell: ({ networks }) => networks?.join(', ') ?? T.everywhere },
                { name: T.created, cell: ({ createdAt }) => <Moment at={createdAt} /> },
                {
                  name: T.expires,
                  cell: ({ expiresAt }) => (expiresAt ? <Moment at={expiresAt} /> : T.unlimited),
                },
                {
                  name: T.used,
                  cell: ({ lastUsedAt, lastUsedFrom }) =>
                    lastUsedAt ? (
                      <>
                        <Moment at={lastUsedAt} /> {lastUsedFrom}
                      </>
                    ) : (
                      T.never
                    ),
                },
                {
                  name: T.change,
                  cell: ({ id, name }) => (
                    <AskingButton
                      label={T.revoke}
                      sentence={T.revokeSentence(name)}
                      onAct={() => revoke(id, name)}
                    />
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      <NewKey />
    </Card>
  );
}

function NewKey() {
  const queries = useQueryClient();
  const confirmed = useConfirmed();
  const action = useAction<CreatedApiKeyResponse>();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<Scope[]>(['balance:read']);
  const [lastDay, setLastDay] = useState('');
  const [typedNetworks, setTypedNetworks] = useState('');
  const networks = networksOf(typedNetworks);
  const expiresAt = lastDay && `${lastDay}T23:59:59Z`;
  const body = {
    name: name.trim(),
    scopes,
    ...(networks.length > 0 ? { networks } : {}),
    ...(expiresAt ? { expiresAt } : {}),
  };
  const limits = [
    expiresAt && T.untilSentence(formatMoment(expiresAt)),
    networks.length > 0 && T.fromSentence(networks.join(', ')),
  ];
  const sentence = T.sentence(body.name, scopes.join(', '), limits.filter(Boolean).join(''));
  const create = async () => {
    const made = await action.run(body, () =>
      confirmed({ action: 'api-key.create', details: body, sentence }, async (stepUp) => {
        const { data } = await api.call('POST /api/user/api-keys', { body, stepUp });
        return data;
      }),
    );
    if (!made) return;
    setName('');
    setLastDay('');
    setTypedNetworks('');
    await queries.invalidateQueries();
  };
  const toggle = (scope: Scope, isChosen: boolean) =>
    setScopes(SCOPES.filter((one) => (one === scope ? isChosen : scopes.includes(one))));
  return (
    <div className={styles.form}>
      <TextInput label={T.name} value={name} onChange={(event) => setName(event.currentTarget.value)} />
      <fieldset className={styles.fieldset}>
        <legend>{T.scopes}</legend>
        {SCOPES.map((scope) => (
          <Checkbox
            key={scope}
            label={scope}
            checked={scopes.includes(scope)}
            onChange={(event) => toggle(scope, event.currentTarget.checked)}
          />
        ))}
      </fieldset>
      <div className={styles.twoFields}>
        <TextInput
          type="date"
          label={T.lastDay}
          description={T.lastDayHint}
          value={lastDay}
          onChange={(event) => setLastDay(event.currentTarget.value)}
        />
        <TextInput
          label={T.networks}
          description={T.networksHint}
          autoComplete="off"
          spellCheck={false}
          value={typedNetworks}
          onChange={(event) => setTypedNetworks(event.currentTarget.value)}
        />
      </div>
      <ActionPanel
        sentence={sentence}
        disabledBecause={(body.name === '' || scopes.length === 0) && T.enter}
        label={T.create}
        action={action}
        onAct={create}
        outcome={({ key }) => (
          <Alert color="yellow" title={T.once}>
            <Grouped value={key} label={T.key} />
          </Alert>
        )}
      />
    </div>
  );
}
