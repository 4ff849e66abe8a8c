import { Alert, Anchor, Button, Textarea, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { isSandbox, sandboxToken } from '../api/sign-in.ts';
import { AdminSignInError } from '../api/user-session.ts';
import { inLanguage } from '../ui/language.ts';
import styles from './app.module.css';
import { Card, Failure } from './parts.tsx';
import { useSession } from './session.tsx';
import { Choices } from './shell.tsx';

const T = inLanguage({
  title: ['Your money', 'Ihr Geld'],
  lead: [
    'Deposit stablecoins, invest them, and check for yourself that your money is counted.',
    'Zahlen Sie Stablecoins ein, legen Sie sie an, und prüfen Sie selbst, dass Ihr Geld gezählt ist.',
  ],
  ended: [
    'Your session has ended. Sign in again.',
    'Ihre Sitzung ist beendet. Melden Sie sich noch einmal an.',
  ],
  sandbox: ['Sandbox', 'Sandbox'],
  sandboxText: [
    'Any e-mail address works here. There is no real money.',
    'Hier geht jede E-Mail-Adresse. Es gibt kein echtes Geld.',
  ],
  email: ['E-mail address', 'E-Mail-Adresse'],
  signIn: ['Sign in', 'Anmelden'],
  signInAs: [(name: string) => `Sign in as ${name}`, (name: string) => `Als ${name} anmelden`],
  token: ['Sign in with your identity provider', 'Mit Ihrem Identitätsanbieter anmelden'],
  tokenText: [
    'Paste the JWT that your identity provider has issued for this platform. A front end of your own does this step for its users.',
    'Fügen Sie das JWT ein, das Ihr Identitätsanbieter für diese Plattform ausgestellt hat. Eine eigene Oberfläche erledigt diesen Schritt für ihre Nutzer.',
  ],
  jwt: ['JWT of the identity provider', 'JWT des Identitätsanbieters'],
  admin: [
    'This is the account of an admin. Use the console.',
    'Das ist das Konto eines Admins. Verwenden Sie die Konsole.',
  ],
  console: ['Open the console', 'Zur Konsole'],
});

const SAMPLES = ['alice@example.org', 'bob@example.org'];

/** Sign-in with the identity provider's JWT, in the sandbox with any e-mail address. */
export function SignIn({ hasEnded }: { hasEnded: boolean }) {
  const session = useSession();
  const [error, setError] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const signIn = (identityToken: () => Promise<string>) => {
    setIsBusy(true);
    setError(undefined);
    void identityToken()
      .then((token) => session.signIn(token))
      .catch(setError)
      .finally(() => setIsBusy(false));
  };
  const readField = (form: HTMLFormElement, name: string): string => {
    const value = new FormData(form).get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  return (
    <main className={styles.signIn}>
      <div className={styles.row}>
        <img src="/console/favicon.svg" alt="" width="40" height="40" />
        <Choices />
      </div>
      <Title order={1} mt="sm">
        {T.title}
      </Title>
      <p className={styles.lead}>{T.lead}</p>
      {hasEnded && <Alert color="yellow">{T.ended}</Alert>}
      {error instanceof AdminSignInError && (
        <Alert color="yellow" role="alert">
          {T.admin} <Anchor href="/console">{T.console}</Anchor>
        </Alert>
      )}
      {error !== undefined && !(error instanceof AdminSignInError) && <Failure error={error} />}
      {isSandbox && (
        <Card title={T.sandbox}>
          <p className={styles.hint}>{T.sandboxText}</p>
          <form
            className={styles.form}
            onSubmit={(event) => {
              event.preventDefault();
              const email = readField(event.currentTarget, 'email');
              signIn(() => sandboxToken(email));
            }}
          >
            <TextInput
              name="email"
              type="email"
              required
              autoComplete="username"
              label={T.email}
              defaultValue="alice@example.org"
            />
            <Button type="submit" loading={isBusy}>
              {T.signIn}
            </Button>
          </form>
          <div className={styles.actions}>
            {SAMPLES.map((email) => (
              <Button
                key={email}
                size="compact-sm"
                variant="default"
                disabled={isBusy}
                onClick={() => signIn(() => sandboxToken(email))}
              >
                {T.signInAs(email.split('@')[0] ?? email)}
              </Button>
            ))}
          </div>
        </Card>
      )}
      <Card title={T.token}>
        <p className={styles.hint}>{T.tokenText}</p>
        <form
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault();
            const token = readField(event.currentTarget, 'token');
            signIn(async () => token);
          }}
        >
          <Textarea name="token" required label={T.jwt} rows={3} autoComplete="off" spellCheck={false} />
          <Button type="submit" loading={isBusy} variant={isSandbox ? 'default' : 'filled'}>
            {T.signIn}
          </Button>
        </form>
      </Card>
    </main>
  );
}
