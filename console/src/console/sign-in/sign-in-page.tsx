import { Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  challengeOf,
  isSandbox,
  sandboxToken,
  signInAdmin,
  signInWithToken,
  type FactorAnswer,
  type FactorChallenge,
  type SecondFactor,
} from '../../api/sign-in.ts';
import { Failure } from '../../ui/failure.tsx';
import { inLanguage } from '../../ui/language.ts';
import { SecondFactorForm } from '../../ui/second-factor-form.tsx';
import { readSessionAgain } from '../session.ts';

const T = inLanguage({
  title: ['Operators’ console', 'Konsole der Betreiber'],
  email: ['E-mail', 'E-Mail'],
  password: ['Password', 'Passwort'],
  signIn: ['Sign in', 'Anmelden'],
  factor: ['Second factor', 'Zweiter Faktor'],
  back: ['Back', 'Zurück'],
  sandbox: ['Sandbox: sign in with one click as', 'Sandbox: mit einem Klick anmelden als'],
});

const SAMPLE_ADMINS = ['operator', 'admin', 'admin2', 'support', 'readonly'];

/** The first step of a sign-in. If the service asks for a second factor, the step is sent again with it. */
type FirstStep = (secondFactor?: SecondFactor) => Promise<unknown>;

export function SignInPage() {
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [pending, setPending] = useState<{ challenge: FactorChallenge; firstStep: FirstStep }>();
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>();

  const begin = async (firstStep: FirstStep) => {
    setRunning(true);
    setError(undefined);
    try {
      await firstStep();
      await readSessionAgain(queries);
    } catch (caught) {
      const challenge = challengeOf(caught);
      if (challenge) setPending({ challenge, firstStep });
      else setError(caught);
    } finally {
      setRunning(false);
    }
  };
  const answer = async (given: FactorAnswer) => {
    if (!pending) return;
    await pending.firstStep({ id: pending.challenge.id, ...given });
    await readSessionAgain(queries);
  };
  const withPassword: FirstStep = (secondFactor) =>
    signInAdmin({ email, password, ...(secondFactor ? { secondFactor } : {}) });
  const asSample = (name: string): FirstStep => {
    const token = sandboxToken(`${name}@example.com`);
    return async (secondFactor) => signInWithToken(await token, secondFactor);
  };

  return (
    <main className="sign-in" id="main" tabIndex={-1}>
      <Paper withBorder p="lg" className="sign-in-box">
        <Title order={1} size="h2" mb="md">
          {T.title}
        </Title>
        {pending ? (
          <Stack>
            <Title order={2} size="h4">
              {T.factor}
            </Title>
            <SecondFactorForm challenge={pending.challenge} onAnswer={answer} />
            <Button variant="default" onClick={() => setPending(undefined)}>
              {T.back}
            </Button>
          </Stack>
        ) : (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void begin(withPassword);
            }}
          >
            <Stack>
              <TextInput
                label={T.email}
                type="email"
                required
                autoComplete="username"
                autoFocus
                value={email}
                onChange={(event) => setEmail(event.currentTarget.value)}
              />
              <PasswordInput
                label={T.password}
                required
                autoComplete="current-password"
                value={password}
                onChange={(event) => setPassword(event.currentTarget.value)}
              />
              {error !== undefined && <Failure error={error} />}
              <Button type="submit" loading={isRunning}>
                {T.signIn}
              </Button>
              {isSandbox && <SampleSignIns onChoose={(name) => void begin(asSample(name))} />}
            </Stack>
          </form>
        )}
      </Paper>
    </main>
  );
}

function SampleSignIns({ onChoose }: { onChoose: (name: string) => void }) {
  return (
    <div className="samples">
      <Text size="sm" c="dimmed" mb={6}>
        {T.sandbox}
      </Text>
      <div className="button-row">
        {SAMPLE_ADMINS.map((name) => (
          <Button key={name} size="xs" variant="default" onClick={() => onChoose(name)}>
            {name}
          </Button>
        ))}
      </div>
    </div>
  );
}
