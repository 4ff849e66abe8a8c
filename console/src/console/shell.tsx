import { Button, useMantineColorScheme } from '@mantine/core';
import { useIsFetching } from '@tanstack/react-query';
import { Suspense, type ReactNode } from 'react';
import { Link, NavLink, useLocation } from 'react-router';
import { useServiceClock } from '../api/service-time.ts';
import { useCurrentInView } from '../ui/current-in-view.ts';
import { changeLanguage, inLanguage, language } from '../ui/language.ts';
import { useClockLead, useIsClockMoved } from '../ui/service-clock.ts';
import { StepUpDialog } from '../ui/step-up-dialog.tsx';
import { Moment } from '../ui/values.tsx';
import { useLiveUpdates } from './live.ts';
import { SCREENS } from './screens.ts';
import { SearchBox } from './search-box.tsx';
import { permits, signOut, useAdmin } from './session.ts';
import './shell.css';

const T = inLanguage({
  skip: ['Skip to the content', 'Zum Inhalt springen'],
  navigation: ['Screens', 'Bereiche'],
  signOut: ['Sign out', 'Abmelden'],
  scheme: ['Light or dark', 'Hell oder dunkel'],
  factors: ['Your second factors', 'Ihre zweiten Faktoren'],
  other: ['Deutsch', 'English'],
  live: ['Live', 'Live'],
  notLive: ['Connecting', 'Verbindet'],
  ended: ['Not live', 'Nicht live'],
  endedMeaning: [
    'Live updates have ended: load the page again to see changes of colleagues at once',
    'Live-Aktualisierung ist beendet: Laden Sie die Seite neu, um Änderungen von Kollegen sofort zu sehen',
  ],
  clock: ['Clock of the sandbox:', 'Uhr der Sandbox:'],
  clockMeaning: [
    'Money, limits, locks and approvals have the times of this clock; times of sessions, keys and screenings are real',
    'Geld, Grenzen, Sperren und Freigaben haben die Zeiten dieser Uhr; Zeiten von Sitzungen, Schlüsseln und Prüfungen sind echt',
  ],
  liveMeaning: ['Changes of colleagues show at once', 'Änderungen von Kollegen erscheinen sofort'],
  notLiveMeaning: [
    'Changes of colleagues do not show at once',
    'Änderungen von Kollegen erscheinen nicht sofort',
  ],
});

/** The frame of every screen: who is signed in, and the screens that the admin may open. */
export function Shell({ children }: { children: ReactNode }) {
  const admin = useAdmin();
  const screens = admin.lacksFactor
    ? []
    : SCREENS.filter(({ permission }) => !permission || permits(admin, permission));
  const links = useCurrentInView(useLocation().pathname);
  useServiceClock();
  const isReading = useIsFetching({ predicate: ({ state }) => state.status === 'pending' }) > 0;
  const live = useLiveUpdates(!admin.lacksFactor);
  const isLive = live === 'live';
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const isDark =
    colorScheme === 'dark' || (colorScheme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
  return (
    <div className="shell">
      <a className="skip" href="#main">
        {T.skip}
      </a>
      <header className="shell-header">
        <Link to="/security" className="shell-admin" title={T.factors}>
          {admin.email}
        </Link>
        {!admin.lacksFactor && (
          <span
            className={isLive ? 'live on' : 'live'}
            role="status"
            title={isLive ? T.liveMeaning : live === 'ended' ? T.endedMeaning : T.notLiveMeaning}
          >
            {isLive ? T.live : live === 'ended' ? T.ended : T.notLive}
          </span>
        )}
        <MovedClock />
        {!admin.lacksFactor && <SearchBox />}
        <span className="shell-tools">
          <Button
            size="xs"
            variant="subtle"
            lang={language === 'de' ? 'en' : 'de'}
            onClick={() => changeLanguage(language === 'de' ? 'en' : 'de')}
          >
            {T.other}
          </Button>
          <Button
            size="xs"
            variant="subtle"
            aria-label={T.scheme}
            onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
          >
            {isDark ? '☀' : '☾'}
          </Button>
          <Button size="xs" variant="default" onClick={() => void signOut()}>
            {T.signOut}
          </Button>
        </span>
      </header>
      <nav ref={links} className="shell-nav" aria-label={T.navigation}>
        {screens.map(({ path, title }) => (
          <NavLink key={path} to={path} className="shell-link">
            {title}
          </NavLink>
        ))}
      </nav>
      <main id="main" className="shell-main" tabIndex={-1} aria-busy={isReading}>
        <Suspense fallback={null}>{children}</Suspense>
      </main>
      <StepUpDialog />
    </div>
  );
}

/** The time of the sandbox's clock, by which the records of money are dated; nothing unless the clock was moved. */
function MovedClock() {
  const lead = useClockLead();
  if (!useIsClockMoved()) return null;
  return (
    <span className="moved-clock" title={T.clockMeaning}>
      {T.clock} <Moment at={new Date(Date.now() + lead).toISOString()} />
    </span>
  );
}
