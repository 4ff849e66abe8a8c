import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { passkeyAnswer, type FactorAnswer, type FactorChallenge } from '../api/sign-in.ts';
import { Failure } from './failure.tsx';
import { inLanguage } from './language.ts';

const T = inLanguage({
  code: ['One-time code of your app', 'Einmalcode Ihrer App'],
  recoveryCode: ['Recovery code', 'Wiederherstellungscode'],
  useRecovery: ['Use a recovery code', 'Wiederherstellungscode verwenden'],
  useCode: ['Use a one-time code', 'Einmalcode verwenden'],
  passkey: ['Use a passkey', 'Passkey verwenden'],
  confirm: ['Confirm', 'Bestätigen'],
  cancel: ['Cancel', 'Abbrechen'],
  none: [
    'This account has no second factor that could answer. Register one first.',
    'Dieses Konto hat keinen zweiten Faktor, der antworten könnte. Registrieren Sie zuerst einen.',
  ],
});

interface SecondFactorFormProps {
  challenge: FactorChallenge;
  /** Rejects if the answer is wrong. */
  onAnswer: (answer: FactorAnswer) => Promise<void>;
  onCancel?: () => void;
}

/** Asks for a code, a recovery code or a passkey, whichever the account has. */
export function SecondFactorForm({ challenge, onAnswer, onCancel }: SecondFactorFormProps) {
  const { methods, options } = challenge;
  const [text, setText] = useState('');
  const [isRecovery, setRecovery] = useState(!methods.includes('totp'));
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  if (methods.length === 0) return <Text>{T.none}</Text>;

  const run = async (answer: () => Promise<FactorAnswer> | FactorAnswer) => {
    setRunning(true);
    setError(undefined);
    try {
      await onAnswer(await answer());
    } catch (caught) {
      setError(caught);
      setText('');
    } finally {
      setRunning(false);
    }
  };
  const mayChange = methods.includes('totp') && methods.includes('recovery-code');
  const trimmed = text.trim();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (trimmed) void run(() => (isRecovery ? { recoveryCode: trimmed } : { code: trimmed }));
      }}
    >
      <Stack>
        {options && (
          <Button loading={isRunning} onClick={() => void run(() => passkeyAnswer(options))}>
            {T.passkey}
          </Button>
        )}
        {(methods.includes('totp') || methods.includes('recovery-code')) && (
          <TextInput
            label={isRecovery ? T.recoveryCode : T.code}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            autoComplete="one-time-code"
            {...(isRecovery ? {} : { inputMode: 'numeric' })}
            data-autofocus
            autoFocus
          />
        )}
        {error !== undefined && <Failure error={error} />}
        {mayChange && (
          <div>
            <Button variant="subtle" size="compact-sm" onClick={() => setRecovery(!isRecovery)}>
              {isRecovery ? T.useCode : T.useRecovery}
            </Button>
          </div>
        )}
        <Group justify="flex-end">
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              {T.cancel}
            </Button>
          )}
          <Button type="submit" loading={isRunning}>
            {T.confirm}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
