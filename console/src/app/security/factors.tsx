import { Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FactorsResponse, PasskeyResponse } from 'stablecoin-platform-client/routes';
import { api } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { inLanguage } from '../../ui/language.ts';
import { Moment } from '../../ui/values.tsx';
import { ActionOutcome, ActionPanel } from '../action-panel.tsx';
import styles from '../app.module.css';
import { useAction } from '../intent.ts';
import { Card, DataTable, Loaded } from '../parts.tsx';
import { useConfirmed } from '../step-up.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { Totp } from './totp.tsx';

const T = inLanguage({
  title: ['Passkeys', 'Passkeys'],
  name: ['Name', 'Name'],
  added: ['Added', 'Hinzugefügt'],
  used: ['Last used', 'Zuletzt benutzt'],
  never: ['never', 'nie'],
  change: ['Change', 'Ändern'],
  none: [
    'There is no passkey yet. Your device or a security key keeps it, and nobody can copy it.',
    'Es gibt noch keinen Passkey. Ihr Gerät oder ein Sicherheitsschlüssel bewahrt ihn auf, und niemand kann ihn kopieren.',
  ],
  newName: ['Name of the new passkey', 'Name des neuen Passkeys'],
  add: ['Add a passkey', 'Passkey hinzufügen'],
  addSentence: [
    'Your browser asks for your fingerprint, face, PIN or key. From then on, actions that lead money out ask for it.',
    'Ihr Browser fragt nach Fingerabdruck, Gesicht, PIN oder Schlüssel. Ab dann wird er bei allem verlangt, was Geld hinausführt.',
  ],
  enterName: ['Enter a name, such as “laptop”.', 'Geben Sie einen Namen ein, etwa „Laptop“.'],
  confirmAdd: ['Add another passkey', 'Einen weiteren Passkey hinzufügen'],
  done: ['The passkey is added.', 'Der Passkey ist hinzugefügt.'],
  doneWithCodes: [
    'The passkey is added. Write down the recovery codes below: they are shown only now.',
    'Der Passkey ist hinzugefügt. Schreiben Sie die Wiederherstellungscodes unten auf: Sie erscheinen nur jetzt.',
  ],
  remove: ['Remove', 'Entfernen'],
  confirmRemove: [
    (name: string) => `Remove the passkey “${name}”`,
    (name: string) => `Den Passkey „${name}“ entfernen`,
  ],
  removed: [
    'The passkey is removed. A security hold has begun.',
    'Der Passkey ist entfernt. Eine Sicherheitsfrist hat begonnen.',
  ],
});

export function Factors() {
  const query = useRead('GET /api/user/factors');
  const [codes, setCodes] = useState<string[]>();
  return (
    <Loaded query={query}>
      {({ data }) => (
        <>
          <Card title={T.title}>
            <Passkeys passkeys={data.passkeys} />
            <NewPasskey onCodes={setCodes} />
          </Card>
          <Totp since={data.totpSince} onCodes={setCodes} />
          {hasFactor(data) && (
            <RecoveryCodes left={data.recoveryCodesLeft} codes={codes} onCodes={setCodes} />
          )}
        </>
      )}
    </Loaded>
  );
}

const hasFactor = ({ passkeys, totpSince }: FactorsResponse) => passkeys.length > 0 || totpSince !== null;

function Passkeys({ passkeys }: { passkeys: PasskeyResponse[] }) {
  const queries = useQueryClient();
  const confirmed = useConfirmed();
  const action = useAction<string>();
  const remove = async ({ id, name }: PasskeyResponse) => {
    await action.run(id, () =>
      confirmed(
        { action: 'factor.remove', details: { kind: 'passkey', id }, sentence: T.confirmRemove(name) },
        async (stepUp) => {
          await api.call('DELETE /api/user/passkeys/{id}', { path: { id }, stepUp });
          return T.removed;
        },
      ),
    );
    await queries.invalidateQueries();
  };
  return (
    <>
      <ActionOutcome action={action}>{(text) => text}</ActionOutcome>
      {passkeys.length === 0 ? (
        <p className={styles.hint}>{T.none}</p>
      ) : (
        <DataTable
          label={T.title}
          rows={passkeys}
          columns={[
            { name: T.name, cell: ({ name }) => name },
            { name: T.added, cell: ({ createdAt }) => <Moment at={createdAt} /> },
            { name: T.used, cell: ({ lastUsedAt }) => (lastUsedAt ? <Moment at={lastUsedAt} /> : T.never) },
            {
              name: T.change,
              cell: (passkey) => (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={T.confirmRemove(passkey.name)}
                  onClick={() => void remove(passkey)}
                >
                  {T.remove}
                </Button>
              ),
            },
          ]}
        />
      )}
    </>
  );
}

function NewPasskey({ onCodes }: { onCodes: (codes: string[]) => void }) {
  const queries = useQueryClient();
  const confirmed = useConfirmed();
  const action = useAction<string[] | null>();
  const [name, setName] = useState('');
  const add = async () => {
    const codes = await action.run(name, () =>
      confirmed(
        { action: 'factor.add', details: { kind: 'passkey' }, sentence: T.confirmAdd },
        async (stepUp) => {
          const { data: begun } = await api.call('POST /api/user/passkeys/options');
          const options = begun.options as unknown as PublicKeyCredentialCreationOptionsJSON;
          const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
          const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
          const body = {
            name: name.trim(),
            credential: credential.toJSON() as unknown as Record<string, unknown>,
          };
          const { data } = await api.call('POST /api/user/passkeys', { body, stepUp });
          return data.recoveryCodes as string[] | null;
        },
      ),
    );
    if (codes === undefined) return;
    setName('');
    if (codes) onCodes(codes);
    await queries.invalidateQueries();
  };
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim()) void add();
      }}
    >
      <TextInput label={T.newName} value={name} onChange={(event) => setName(event.currentTarget.value)} />
      <ActionPanel
        sentence={T.addSentence}
        disabledBecause={name.trim() === '' && T.enterName}
        label={T.add}
        action={action}
        onAct={add}
        outcome={(codes) => (codes ? T.doneWithCodes : T.done)}
      />
    </form>
  );
}
