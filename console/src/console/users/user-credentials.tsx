import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../api/client.ts';
import { REFRESH_MS } from '../../api/queries.ts';
import { Failure } from '../../ui/failure.tsx';
import { formatCount, visibleText } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { Section } from '../../ui/section.tsx';
import { Grouped, Moment } from '../../ui/values.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Actions, type DeskAction } from '../desk/actions.tsx';
import { usePermits } from '../session.ts';
import { AREAS } from './texts.ts';
import { endSessions, takeAway } from './user-actions.ts';

const T = inLanguage({
  sessions: ['Sessions', 'Sitzungen'],
  noSession: ['The user is not signed in.', 'Der Nutzer ist nicht angemeldet.'],
  since: ['since', 'seit'],
  created: ['created', 'angelegt'],
  seen: ['last seen', 'zuletzt gesehen'],
  unknownDevice: ['unknown device', 'unbekanntes Gerät'],
  signIns: ['Sign-ins of the last 90 days', 'Anmeldungen der letzten 90 Tage'],
  newest: [
    (shown: string, all: string) => `the newest ${shown} of ${all}`,
    (shown: string, all: string) => `die neuesten ${shown} von ${all}`,
  ],
  wallets: ['Wallets', 'Wallets'],
  canSignIn: ['can sign in', 'kann sich anmelden'],
  suspended: ['suspended since', 'ausgesetzt seit'],
  deposits: ['Addresses for deposits', 'Adressen für Einzahlungen'],
  keys: ['API keys', 'API-Schlüssel'],
  expires: ['expires', 'läuft ab'],
  never: ['does not expire', 'läuft nicht ab'],
  used: ['last used', 'zuletzt benutzt'],
  unused: ['never used', 'nie benutzt'],
  book: ['Address book', 'Adressbuch'],
  usableFrom: ['usable from', 'verwendbar ab'],
  paid: [
    (count: number) =>
      count === 0 ? 'never paid to' : count === 1 ? 'paid to once' : `paid to ${count} times`,
    (count: number) => (count === 0 ? 'noch nie dorthin gezahlt' : `${count}-mal dorthin gezahlt`),
  ],
  webhooks: ['Webhooks', 'Webhooks'],
  disabled: ['switched off', 'ausgeschaltet'],
  on: ['on', 'eingeschaltet'],
  none: ['None', 'Keine'],
  wallet: ['Wallet', 'Wallet'],
  key: ['API key', 'API-Schlüssel'],
  address: ['Address', 'Adresse'],
});
const METHOD = inLanguage({
  'identity-provider': ['identity provider', 'Identitätsanbieter'],
  wallet: ['wallet', 'Wallet'],
});
const DISABLED = inLanguage({
  user: ['by the user', 'vom Nutzer'],
  gone: ['it has answered 410', 'er hat mit 410 geantwortet'],
  failing: ['attempts have failed for three days', 'seit drei Tagen ohne Erfolg'],
  'email-changed': ['the e-mail address was changed', 'die E-Mail-Adresse wurde geändert'],
  backlog: ['too many deliveries waited', 'zu viele Zustellungen warteten'],
});
const SHOWN_SIGN_INS = 5;

async function readAll(id: string) {
  const path = { id };
  const [sessions, signIns, wallets, keys, addresses, webhooks] = await Promise.all([
    api.call('GET /api/admin/users/{id}/sessions', { path }),
    api.call('GET /api/admin/users/{id}/sign-ins', { path }),
    api.call('GET /api/admin/users/{id}/wallets', { path }),
    api.call('GET /api/admin/users/{id}/api-keys', { path }),
    api.call('GET /api/admin/users/{id}/addresses', { path }),
    api.call('GET /api/admin/users/{id}/webhooks', { path }),
  ]);
  return {
    sessions: sessions.data,
    signIns: signIns.data,
    wallets: wallets.data.user,
    keys: keys.data,
    addresses: addresses.data,
    webhooks: webhooks.data,
  };
}
type Credentials = Awaited<ReturnType<typeof readAll>>;

/** Sessions, wallets, API keys, address book and webhooks of a user, with the actions that end or remove them. */
export function UserCredentials({ userId }: { userId: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['users', 'credentials', userId],
    queryFn: () => readAll(userId),
    refetchInterval: REFRESH_MS,
  });
  if (!data) return error ? <Failure error={error} retry={() => void refetch()} /> : null;
  return (
    <>
      <Sessions userId={userId} {...data} />
      <Wallets userId={userId} {...data} />
      <ApiKeys userId={userId} {...data} />
      <AddressBook userId={userId} {...data} />
      <Webhooks {...data} />
    </>
  );
}

type PartProps<Part extends keyof Credentials> = Pick<Credentials, Part> & { userId: string };

const device = (text: string) => (text === '' ? T.unknownDevice : visibleText(text));

function Sessions({ userId, sessions, signIns }: PartProps<'sessions' | 'signIns'>) {
  const mayEnd = usePermits('users:write') && sessions.length > 0;
  return (
    <Section title={`${T.sessions} (${formatCount(sessions.length)})`}>
      <List
        none={T.noSession}
        items={sessions.map(({ id, createdAt, lastSeenAt, device: name }) => [
          id,
          device(name),
          <>
            {T.since} <Moment isReal at={createdAt} /> · {T.seen} <Moment isReal at={lastSeenAt} />
          </>,
        ])}
      />
      {mayEnd && (
        <div className="actions-below">
          <Actions isCompact actions={[endSessions(userId)]} areas={AREAS} />
        </div>
      )}
      {signIns.length > 0 && (
        <details>
          <summary>
            {T.signIns}
            {signIns.length > SHOWN_SIGN_INS &&
              ` (${T.newest(formatCount(SHOWN_SIGN_INS), formatCount(signIns.length))})`}
          </summary>
          <List
            items={signIns
              .slice(0, SHOWN_SIGN_INS)
              .map(({ id, createdAt, method, address, device: name }) => [
                id,
                <Moment isReal key="at" at={createdAt} />,
                [method && METHOD[method], address, device(name)].filter(Boolean).join(' · '),
              ])}
          />
        </details>
      )}
    </Section>
  );
}

function Wallets({ userId, wallets }: PartProps<'wallets'>) {
  const { personalWallets, depositWallets } = wallets;
  const unlink = (walletId: string, address: string): DeskAction => ({
    ...takeAway('wallet', walletId, address, (body) =>
      api.call('DELETE /api/admin/users/{id}/wallets/{walletId}', { path: { id: userId, walletId }, body }),
    ),
    facts: <Facts of={[[T.wallet, <Grouped key="wallet" value={address} label={T.wallet} />]]} />,
  });
  return (
    <Section title={T.wallets}>
      <List
        items={personalWallets.map(({ id, address, suspendedAt }) => [
          id,
          <Grouped key="address" value={address} label={T.wallet} />,
          suspendedAt ? (
            <>
              {T.suspended} <Moment at={suspendedAt} />
            </>
          ) : (
            T.canSignIn
          ),
          unlink(id, address),
        ])}
      />
      {depositWallets.length > 0 && (
        <details>
          <summary>{T.deposits}</summary>
          <List
            items={depositWallets.map(({ address, network, currency }) => [
              `${network} ${currency}`,
              <Grouped key="address" value={address} label={T.deposits} />,
              `${currency} (${network})`,
            ])}
          />
        </details>
      )}
    </Section>
  );
}

function ApiKeys({ userId, keys }: PartProps<'keys'>) {
  const revoke = ({ id: keyId, name, prefix }: Credentials['keys'][number]): DeskAction => ({
    ...takeAway('apiKey', keyId, visibleText(name), (body) =>
      api.call('DELETE /api/admin/users/{id}/api-keys/{keyId}', { path: { id: userId, keyId }, body }),
    ),
    facts: <Facts of={[[T.key, `${name} (${prefix}…)`]]} />,
  });
  return (
    <Section title={T.keys}>
      <List
        items={keys.map((key) => [
          key.id,
          <span key="name">
            <strong>{visibleText(key.name)}</strong> {key.prefix}…
          </span>,
          <>
            {key.scopes.join(', ')} · {key.lastUsedAt ? T.used : T.unused}{' '}
            {key.lastUsedAt && <Moment isReal at={key.lastUsedAt} />} {key.lastUsedFrom} ·{' '}
            {key.expiresAt ? T.expires : T.never} {key.expiresAt && <Moment isReal at={key.expiresAt} />}
          </>,
          revoke(key),
        ])}
      />
    </Section>
  );
}

function AddressBook({ userId, addresses }: PartProps<'addresses'>) {
  const remove = ({ id: addressId, label, address }: Credentials['addresses'][number]): DeskAction => ({
    ...takeAway('address', addressId, visibleText(label), (body) =>
      api.call('DELETE /api/admin/users/{id}/addresses/{addressId}', {
        ...{ path: { id: userId, addressId }, body },
      }),
    ),
    facts: <Facts of={[[label, <Grouped key="address" value={address} label={T.address} />]]} />,
  });
  return (
    <Section title={T.book}>
      <List
        items={addresses.map((entry) => [
          entry.id,
          <>
            <strong>{visibleText(entry.label)}</strong> <Grouped value={entry.address} label={T.address} />
          </>,
          <>
            {entry.network} · {T.usableFrom} <Moment at={entry.usableFrom} /> · {T.paid(entry.paidCount)}
          </>,
          remove(entry),
        ])}
      />
    </Section>
  );
}

function Webhooks({ webhooks }: Pick<Credentials, 'webhooks'>) {
  return (
    <Section title={T.webhooks}>
      <List
        items={webhooks.map(({ id, url, status, disabledReason, createdAt }) => [
          id,
          visibleText(url),
          <>
            {status === 'active' ? T.on : T.disabled}
            {disabledReason && ` (${DISABLED[disabledReason]})`} · {T.created} <Moment at={createdAt} />
          </>,
        ])}
      />
    </Section>
  );
}

/** An entry of a list: its name, a line about it, and the action that removes it. */
type Item = readonly [key: string, name: ReactNode, about: ReactNode, action?: DeskAction];

/** A list of items, each with the button of its action if the admin may change users. */
function List({ items, none = T.none }: { items: readonly Item[]; none?: string }) {
  const mayChange = usePermits('users:write');
  if (items.length === 0) return <div>{none}</div>;
  return (
    <ul className="plain-list">
      {items.map(([key, name, about, action]) => (
        <li key={key} className="item">
          <div>
            {name}
            <div className="beneath">{about}</div>
          </div>
          {action && mayChange && <Actions isCompact actions={[action]} areas={AREAS} />}
        </li>
      ))}
    </ul>
  );
}
