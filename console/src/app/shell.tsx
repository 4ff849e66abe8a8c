import { Badge, Button, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { NavLink, useLocation } from 'react-router';
import { api } from '../api/client.ts';
import { isSandbox } from '../api/sign-in.ts';
import { useRead } from '../api/use-read.ts';
import { changeLanguage, inLanguage, language, type Language } from '../ui/language.ts';
import { AccountNotice } from './account-notice.tsx';
import styles from './app.module.css';
import { useLiveStatus } from './live.tsx';
import { useSession, useUser } from './session.tsx';

const T = inLanguage({
  brand: ['Your money', 'Ihr Geld'],
  main: ['Main', 'Hauptmenü'],
  menu: ['Menu', 'Menü'],
  portfolio: ['Portfolio', 'Vermögen'],
  deposit: ['Deposit', 'Einzahlen'],
  invest: ['Invest', 'Anlegen'],
  withdraw: ['Withdraw', 'Auszahlen'],
  history: ['History', 'Verlauf'],
  notifications: ['Notifications', 'Mitteilungen'],
  proof: ['My money is counted', 'Mein Geld ist gezählt'],
  account: ['Account', 'Konto'],
  security: ['Security', 'Sicherheit'],
  developers: ['Keys and webhooks', 'Schlüssel und Webhooks'],
  skip: ['Skip to the content', 'Zum Inhalt springen'],
  live: ['live', 'live'],
  notLive: ['not live', 'nicht live'],
  notLiveHint: ['Changes show after you load the page again.', 'Änderungen erscheinen nach dem Neuladen.'],
  sandbox: ['Sandbox: test money', 'Sandbox: Testgeld'],
  other: ['Deutsch', 'English'],
  dark: ['Dark', 'Dunkel'],
  light: ['Light', 'Hell'],
  signOut: ['Sign out', 'Abmelden'],
  unread: [(count: number) => `${count} unread`, (count: number) => `${count} ungelesen`],
});

const LINKS = [
  ['/', T.portfolio],
  ['/deposit', T.deposit],
  ['/invest', T.invest],
  ['/withdraw', T.withdraw],
  ['/history', T.history],
  ['/notifications', T.notifications],
  ['/proof', T.proof],
  ['/account', T.account],
  ['/security', T.security],
  ['/developers', T.developers],
] as const;

export function Shell({ children }: { children: ReactNode }) {
  const user = useUser();
  const { signOut } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  const { pathname } = useLocation();
  useEffect(() => setIsOpen(false), [pathname]);
  return (
    <div className={styles.shell}>
      <a href="#main" className="visually-hidden">
        {T.skip}
      </a>
      <header className={styles.header}>
        <span className={styles.brand}>
          <img src="/console/favicon.svg" alt="" width="28" height="28" />
          {T.brand}
          {isSandbox && (
            <Badge variant="light" color="orange" className={styles.status}>
              {T.sandbox}
            </Badge>
          )}
          <LiveBadge />
        </span>
        <span className={styles.email}>{user.email}</span>
        <Choices beforeLanguage={saveLanguage} />
        <Button size="compact-sm" variant="default" onClick={() => void signOut()}>
          {T.signOut}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          className={styles.menuButton}
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setIsOpen(!isOpen)}
        >
          {T.menu}
        </Button>
      </header>
      <nav id="navigation" aria-label={T.main} className={styles.nav} data-closed={isOpen ? undefined : true}>
        {LINKS.map(([to, name]) => (
          <NavLink key={to} to={to} end={to === '/'}>
            {name}
            {to === '/notifications' && <UnreadCount />}
          </NavLink>
        ))}
      </nav>
      <main id="main" tabIndex={-1} className={styles.main}>
        <AccountNotice />
        {children}
      </main>
    </div>
  );
}

function LiveBadge() {
  const isLive = useLiveStatus() === 'live';
  return (
    <Badge
      variant="light"
      color={isLive ? 'green' : 'gray'}
      className={styles.status}
      title={isLive ? undefined : T.notLiveHint}
    >
      {isLive ? T.live : T.notLive}
    </Badge>
  );
}

function UnreadCount() {
  const { data } = useRead('GET /api/user/notifications/unread/count');
  const count = data?.data.total ?? 0;
  if (count === 0) return null;
  return (
    <Badge size="sm" circle={count < 10}>
      <span aria-hidden>{count}</span>
      <span className="visually-hidden">{T.unread(count)}</span>
    </Badge>
  );
}

/** Stores the language of the page as that of e-mails, notifications and the texts of entries. */
const saveLanguage = (chosen: Language) =>
  api.call('PUT /api/user/profile', { body: { language: chosen } }).catch(() => undefined);

interface ChoicesProps {
  /** Called before the page is loaded again in another language. */
  beforeLanguage?: (chosen: Language) => Promise<unknown>;
}

/** The buttons that change the language and the colour scheme. */
export function Choices({ beforeLanguage }: ChoicesProps) {
  const otherLanguage = language === 'de' ? 'en' : 'de';
  const change = async () => {
    await beforeLanguage?.(otherLanguage);
    changeLanguage(otherLanguage);
  };
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const scheme = useComputedColorScheme('light');
  const other = scheme === 'dark' ? 'light' : 'dark';
  return (
    <>
      <Button size="compact-sm" variant="default" lang={otherLanguage} onClick={() => void change()}>
        {T.other}
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => setColorScheme(other)}>
        {other === 'dark' ? T.dark : T.light}
      </Button>
    </>
  );
}
