import { Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { formatMoment } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { Grouped } from '../../ui/values.tsx';
import QrCode from '../../ui/qr-code.tsx';
import { ActionOutcome, ActionPanel } from '../action-panel.tsx';
import styles from '../app.module.css';
import { useAction } from '../intent.ts';
import { Card } from '../parts.tsx';
import { useConfirmed } from '../step-up.tsx';

const T = inLanguage({
  title: ['One-time codes of an app', 'Einmalcodes einer App'],
  since: [
    (at: string) => `One-time codes are on since ${at}.`,
    (at: string) => `Einmalcodes sind seit ${at} eingeschaltet.`,
  ],
  remove: ['Turn off', 'Ausschalten'],
  confirmRemove: ['Turn one-time codes off', 'Einmalcodes ausschalten'],
  removeSentence: [
    'Turns the codes off and begins a security hold.',
    'Schaltet die Codes aus und beginnt eine Sicherheitsfrist.',
  ],
  removed: ['One-time codes are off.', 'Einmalcodes sind ausgeschaltet.'],
  begin: ['Set up', 'Einrichten'],
  beginSentence: [
    'Shows a QR code for an authenticator app. The codes count after you have entered the first one.',
    'Zeigt einen QR-Code für eine Authenticator-App. Die Codes gelten, sobald Sie den ersten eingegeben haben.',
  ],
  confirmAdd: ['Add one-time codes', 'Einmalcodes hinzufügen'],
  scan: [
    'Scan this with your app, or enter the secret by hand.',
    'Scannen Sie das mit Ihrer App, oder geben Sie das Geheimnis von Hand ein.',
  ],
  qr: ['QR code of the secret', 'QR-Code des Geheimnisses'],
  secret: ['Secret', 'Geheimnis'],
  code: ['Code that the app shows', 'Code, den die App zeigt'],
  confirm: ['Turn on', 'Einschalten'],
  begun: ['Continue below.', 'Weiter unten.'],
  done: ['One-time codes are on.', 'Einmalcodes sind eingeschaltet.'],
});

interface TotpProps {
  since: string | null;
  onCodes: (codes: string[]) => void;
}

export function Totp({ since, onCodes }: TotpProps) {
  return (
    <Card title={T.title}>{since === null ? <SetUp onCodes={onCodes} /> : <TurnOff since={since} />}</Card>
  );
}

function TurnOff({ since }: { since: string }) {
  const queries = useQueryClient();
  const confirmed = useConfirmed();
  const action = useAction<string>();
  const remove = async () => {
    const details = { kind: 'totp' };
    await action.run('remove', () =>
      confirmed({ action: 'factor.remove', details, sentence: T.confirmRemove }, async (stepUp) => {
        await api.call('DELETE /api/user/totp', { stepUp });
        return T.removed;
      }),
    );
    await queries.invalidateQueries();
  };
  return (
    <>
      <p>{T.since(formatMoment(since))}</p>
      <ActionPanel
        sentence={T.removeSentence}
        label={T.remove}
        variant="default"
        action={action}
        onAct={remove}
        outcome={(text) => text}
      />
    </>
  );
}

function SetUp({ onCodes }: { onCodes: (codes: string[]) => void }) {
  const confirmed = useConfirmed();
  const action = useAction<{ secret: string; otpauthUrl: string }>();
  const begin = () =>
    action.run('begin', () =>
      confirmed(
        { action: 'factor.add', details: { kind: 'totp' }, sentence: T.confirmAdd },
        async (stepUp) => (await api.call('POST /api/user/totp', { stepUp })).data,
      ),
    );
  const { state } = action;
  if (state.status !== 'done')
    return (
      <ActionPanel
        sentence={T.beginSentence}
        label={T.begin}
        action={action}
        onAct={begin}
        outcome={() => T.begun}
      />
    );
  const { secret, otpauthUrl } = state.result;
  return (
    <div className={styles.form}>
      <p>{T.scan}</p>
      <QrCode text={otpauthUrl} label={T.qr} />
      <Grouped value={secret} label={T.secret} />
      <FirstCode onCodes={onCodes} />
    </div>
  );
}

function FirstCode({ onCodes }: { onCodes: (codes: string[]) => void }) {
  const queries = useQueryClient();
  const confirmed = useConfirmed();
  const action = useAction<string[] | null>();
  const [code, setCode] = useState('');
  const confirm = async () => {
    const codes = await action.run(code, () =>
      confirmed(
        { action: 'factor.add', details: { kind: 'totp' }, sentence: T.confirmAdd },
        async (stepUp) => {
          const { data } = await api.call('POST /api/user/totp/confirm', {
            body: { code: code.trim() },
            stepUp,
          });
          return data.recoveryCodes as string[] | null;
        },
      ),
    );
    if (codes === undefined) return;
    if (codes) onCodes(codes);
    await queries.invalidateQueries();
  };
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        void confirm();
      }}
    >
      <TextInput
        label={T.code}
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      <div>
        <Button type="submit" loading={action.state.status === 'running'}>
          {T.confirm}
        </Button>
      </div>
      <ActionOutcome action={action}>{() => T.done}</ActionOutcome>
    </form>
  );
}
