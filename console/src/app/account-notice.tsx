import { Alert, Text } from '@mantine/core';
import { useLocation } from 'react-router';
import { useRead } from '../api/use-read.ts';
import { formatMoment, visibleText } from '../ui/format.ts';
import { inLanguage } from '../ui/language.ts';
import { TextLink } from './parts.tsx';

const T = inLanguage({
  locked: [
    (since: string) => `The account has been locked since ${since}.`,
    (since: string) => `Das Konto ist seit ${since} gesperrt.`,
  ],
  reason: [(reason: string) => `Reason: ${reason}`, (reason: string) => `Grund: ${reason}`],
  meaning: [
    'Nothing can be paid out; deposits are still credited.',
    'Nichts kann ausgezahlt werden; Einzahlungen werden weiter gutgeschrieben.',
  ],
  admins: [
    'The lock lasts until two operators end it: contact the support.',
    'Die Sperre gilt, bis zwei Mitarbeiter sie beenden: Wenden Sie sich an den Support.',
  ],
  'step-up': [
    'The lock lasts until you end it with a second factor, or two operators do.',
    'Die Sperre gilt, bis Sie sie mit einem zweiten Faktor beenden oder zwei Mitarbeiter es tun.',
  ],
  unlock: ['Unlock', 'Entsperren'],
});

/** On every page of a locked account: why it is locked, what that means, and what ends it. */
export function AccountNotice() {
  const { data } = useRead('GET /api/user/limits');
  const { pathname } = useLocation();
  const locked = data?.data.locked;
  if (!locked) return null;
  return (
    <Alert color="red" mb="md" title={T.locked(formatMoment(locked.since))}>
      {locked.reason && <Text size="sm">{T.reason(visibleText(locked.reason))}</Text>}
      {T.meaning} {T[locked.unlock]}{' '}
      {locked.unlock === 'step-up' && pathname !== '/security' && (
        <TextLink to="/security">{T.unlock}</TextLink>
      )}
    </Alert>
  );
}
