import { Alert, Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { api } from '../../api/client.ts';
import { addPasskey, confirmTotp, startTotp } from '../../api/factors.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Failure } from '../../ui/failure.tsx';
import { inLanguage } from '../../ui/language.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Moment } from '../../ui/values.tsx';
import { signOut, useAdmin } from '../session.ts';

const QrCode = lazy(() => import('../../ui/qr-code.tsx'));

const T = inLanguage({
  title: ['Second factors', 'Zweite Faktoren'],
  needed: [
    'Register a second factor: until then this session may do nothing else. Afterwards, sign in again with it.',
    'Registrieren Sie einen zweiten Faktor: Bis dahin darf diese Sitzung nichts anderes. Melden Sie sich danach damit neu an.',
  ],
  passkeys: ['Passkeys', 'Passkeys'],
  none: ['none', 'keine'],
  codesSince: ['One-time codes since', 'Einmalcodes seit'],
  codes: ['Recovery codes', 'Wiederherstellungs\u00adcodes'],
  codesLeft: ['Recovery codes left', 'Übrige Wiederherstellungs\u00adcodes'],
  addCodes: ['Add one-time codes of an app', 'Einmalcodes einer App hinzufügen'],
  addPasskey: ['Add a passkey', 'Passkey hinzufügen'],
  name: ['Name of the passkey', 'Name des Passkeys'],
  scan: [
    'Scan this with the app, and enter its first code.',
    'Scannen Sie das mit der App, und geben Sie ihren ersten Code ein.',
  ],
  qr: ['QR code for the app', 'QR-Code für die App'],
  secret: ['Secret', 'Geheimnis'],
  code: ['Code of the app', 'Code der App'],
  confirm: ['Confirm', 'Bestätigen'],
  recovery: [
    'Recovery codes: write them down now. Each works once, and they are shown only this time.',
    'Wiederherstellungscodes: Schreiben Sie sie jetzt auf. Jeder gilt einmal, und sie erscheinen nur dieses Mal.',
  ],
  written: ['I have written them down', 'Ich habe sie aufgeschrieben'],
});

/** Registers second factors of the admin. `isNeeded`: the session may do nothing else until there is one. */
export default function SecurityPage({ isNeeded = false }: { isNeeded?: boolean }) {
  const queries = useQueryClient();
  const [recoveryCodes, setRecoveryCodes] = useState<string[]>();
  const [error, setError] = useState<unknown>();
  const factors = useQuery({
    queryKey: ['factors'],
    queryFn: async () => (await api.call('GET /api/admin/factors')).data,
  });
  const add = async (register: () => Promise<string[] | null>) => {
    setError(undefined);
    try {
      setRecoveryCodes((await register()) ?? undefined);
      await queries.invalidateQueries({ queryKey: ['factors'] });
    } catch (caught) {
      setError(caught);
    }
  };
  return (
    <>
      <PageHead title={T.title} />
      {isNeeded && !recoveryCodes && (
        <Alert color="yellow" mb="md">
          {T.needed}
        </Alert>
      )}
      {error !== undefined && <Failure error={error} />}
      {recoveryCodes ? (
        <RecoveryCodes
          codes={recoveryCodes}
          onWritten={() => (isNeeded ? void signOut() : setRecoveryCodes(undefined))}
        />
      ) : (
        <div className="columns">
          {factors.data && (
            <Paper withBorder p="md" component="section">
              <Facts
                of={[
                  [T.passkeys, factors.data.passkeys.map(({ name }) => name).join(', ') || T.none],
                  [
                    T.codesSince,
                    factors.data.totpSince && <Moment isReal key="since" at={factors.data.totpSince} />,
                  ],
                  [T.codesLeft, String(factors.data.recoveryCodesLeft)],
                ]}
              />
            </Paper>
          )}
          {factors.data && !factors.data.totpSince && <AddCodes onAdd={add} />}
          <AddPasskey onAdd={add} />
        </div>
      )}
    </>
  );
}

type Add = (register: () => Promise<string[] | null>) => Promise<void>;

function AddCodes({ onAdd }: { onAdd: Add }) {
  const { email } = useAdmin();
  const [started, setStarted] = useState<{ secret: string; otpauthUrl: string }>();
  const [code, setCode] = useState('');
  const start = () =>
    onAdd(async () => {
      setStarted(await startTotp());
      return null;
    });
  return (
    <Paper withBorder p="md" component="section">
      <Title order={2} size="h4" mb="sm">
        {T.addCodes}
      </Title>
      {started ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void onAdd(() => confirmTotp(code.trim()));
          }}
        >
          <Stack>
            <Text>{T.scan}</Text>
            <Suspense fallback={null}>
              <QrCode text={started.otpauthUrl} label={`${T.qr}: ${email}`} />
            </Suspense>
            <Group gap="xs">
              <code className="secret">{started.secret}</code>
              <CopyButton value={started.secret} label={T.secret} />
            </Group>
            <TextInput
              label={T.code}
              inputMode="numeric"
              autoComplete="one-time-code"
              autoFocus
              value={code}
              onChange={(event) => setCode(event.currentTarget.value)}
            />
            <Button type="submit">{T.confirm}</Button>
          </Stack>
        </form>
      ) : (
        <Button onClick={() => void start()}>{T.addCodes}</Button>
      )}
    </Paper>
  );
}

function AddPasskey({ onAdd }: { onAdd: Add }) {
  const [name, setName] = useState('');
  return (
    <Paper withBorder p="md" component="section">
      <Title order={2} size="h4" mb="sm">
        {T.addPasskey}
      </Title>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void onAdd(() => addPasskey(name.trim()));
        }}
      >
        <Stack>
          <TextInput
            label={T.name}
            required
            maxLength={40}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button type="submit">{T.addPasskey}</Button>
        </Stack>
      </form>
    </Paper>
  );
}

function RecoveryCodes({ codes, onWritten }: { codes: string[]; onWritten: () => void }) {
  return (
    <Paper withBorder p="md" component="section">
      <Text mb="sm">{T.recovery}</Text>
      <ul className="recovery-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <Group>
        <CopyButton value={codes.join('\n')} label={T.codes} />
        <Button onClick={onWritten}>{T.written}</Button>
      </Group>
    </Paper>
  );
}
