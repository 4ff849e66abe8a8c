import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import '@mantine/core/styles/Checkbox.css';
import '@mantine/core/styles/InlineInput.css';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ProfileResponse } from '../../../../client/routes.ts';
import { api } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { Facts } from '../../ui/facts.tsx';
import { inLanguage } from '../../ui/language.ts';
import { Moment } from '../../ui/values.tsx';
import { ActionPanel } from '../action-panel.tsx';
import styles from '../app.module.css';
import { useAction } from '../intent.ts';
import { Card, Loaded, Page } from '../parts.tsx';
import { useConfirmed } from '../step-up.tsx';
import { Wallets } from './wallets.tsx';

const T = inLanguage({
  title: ['Account', 'Konto'],
  lead: [
    'Who you are here, in which language you are written to, and the wallets that may sign in.',
    'Wer Sie hier sind, in welcher Sprache Sie Post erhalten, und welche Wallets sich anmelden dürfen.',
  ],
  profile: ['Profile and messages', 'Profil und Nachrichten'],
  email: ['E-mail address', 'E-Mail-Adresse'],
  emailHint: [
    'comes from your identity provider; the support changes it',
    'stammt von Ihrem Identitätsanbieter; der Support ändert sie',
  ],
  since: ['Account since', 'Konto seit'],
  lastSignIn: ['Last sign-in', 'Letzte Anmeldung'],
  name: ['Name', 'Name'],
  language: ['Language', 'Sprache'],
  languageHint: [
    'Of e-mails, notifications and the texts of entries. The button at the top changes it together with that of this page.',
    'Von E-Mails, Mitteilungen und Buchungstexten. Der Knopf oben ändert sie zusammen mit der Sprache dieser Seite.',
  ],
  mail: ['E-mail about deposits', 'E-Mails über Einzahlungen'],
  mailHint: [
    'E-mail about withdrawals and security is always sent.',
    'E-Mails über Auszahlungen und Sicherheit kommen immer.',
  ],
  noMail: ['This platform sends no e-mail.', 'Diese Plattform verschickt keine E-Mails.'],
  push: ['Notifications about growth and offers', 'Mitteilungen über Zuwachs und Angebote'],
  enterName: ['Enter a name.', 'Geben Sie einen Namen ein.'],
  unchanged: ['Nothing is changed yet.', 'Es ist noch nichts geändert.'],
  save: ['Save', 'Speichern'],
  mailOff: ['Turn e-mail about deposits off', 'E-Mails über Einzahlungen ausschalten'],
  saved: ['Saved.', 'Gespeichert.'],
});

const LANGUAGES = [
  { value: 'en', label: 'English' },
  { value: 'de', label: 'Deutsch' },
];

export default function Account() {
  const profile = useRead('GET /api/user/profile');
  return (
    <Page title={T.title} lead={T.lead}>
      <Card title={T.profile}>
        <Loaded query={profile}>
          {({ data }) => (
            <>
              <Facts
                of={[
                  [
                    T.email,
                    <>
                      {data.email} <span className={styles.hint}>({T.emailHint})</span>
                    </>,
                  ],
                  [T.since, <Moment at={data.createdAt} />],
                  [T.lastSignIn, data.lastLoginAt !== null && <Moment at={data.lastLoginAt} />],
                ]}
              />
              <ProfileForm profile={data} />
            </>
          )}
        </Loaded>
      </Card>
      <Wallets />
    </Page>
  );
}

function ProfileForm({ profile: { name: formerName, preferences } }: { profile: ProfileResponse }) {
  const queries = useQueryClient();
  const confirmed = useConfirmed();
  const action = useAction<string>();
  const { emailAvailable, ...channels } = preferences.notifications;
  const [name, setName] = useState(formerName ?? '');
  const [language, setLanguage] = useState(preferences.language);
  const [email, setEmail] = useState(channels.email);
  const [push, setPush] = useState(channels.push);
  const entered = name.trim();
  const notifications = {
    ...(email === channels.email ? {} : { email }),
    ...(push === channels.push ? {} : { push }),
  };
  // Only what changes: `email: false` needs a second factor.
  const body = {
    ...(entered === (formerName ?? '') ? {} : { name: entered }),
    ...(language === preferences.language ? {} : { language }),
    ...(Object.keys(notifications).length > 0 ? { notifications } : {}),
  };
  const isChanged = Object.keys(body).length > 0;
  const isNameMissing = entered === '' && formerName !== null;
  const save = async () => {
    await action.run(body, () =>
      confirmed({ action: 'email-notifications.off', details: {}, sentence: T.mailOff }, async (stepUp) => {
        await api.call('PUT /api/user/profile', { body, stepUp });
        return T.saved;
      }),
    );
    await queries.invalidateQueries();
  };
  return (
    <div className={styles.form}>
      <TextInput
        label={T.name}
        autoComplete="name"
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <NativeSelect
        label={T.language}
        description={T.languageHint}
        value={language}
        onChange={(event) => setLanguage(event.currentTarget.value)}
        data={withChosen(preferences.language)}
      />
      <Checkbox
        label={T.mail}
        description={emailAvailable ? T.mailHint : T.noMail}
        checked={email}
        onChange={(event) => setEmail(event.currentTarget.checked)}
      />
      <Checkbox label={T.push} checked={push} onChange={(event) => setPush(event.currentTarget.checked)} />
      <ActionPanel
        disabledBecause={isNameMissing ? T.enterName : !isChanged && T.unchanged}
        label={T.save}
        action={action}
        onAct={save}
        outcome={(text) => text}
      />
    </div>
  );
}

/** The languages in which the service writes, and the one that the account has, such as `de-CH`. */
const withChosen = (chosen: string) =>
  LANGUAGES.some(({ value }) => value === chosen)
    ? LANGUAGES
    : [...LANGUAGES, { value: chosen, label: chosen }];
