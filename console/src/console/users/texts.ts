import { inLanguage } from '../../ui/language.ts';

export const USER_STATUS = inLanguage({
  all: ['All', 'Alle'],
  active: ['Active', 'Aktiv'],
  suspended: ['Suspended', 'Suspendiert'],
  inactive: ['Inactive', 'Inaktiv'],
});

export const USER_STATUS_COLOURS = { active: 'green', suspended: 'red', inactive: 'gray' } as const;

/** How an account was locked. */
export const LOCKED_BY = inLanguage({
  session: ['locked by the user', 'vom Nutzer gesperrt'],
  link: ['locked by the link of a mail', 'durch den Link einer Mail gesperrt'],
  admin: ['locked by an admin', 'von einem Admin gesperrt'],
});

/** Who can end the lock. */
export const UNLOCK = inLanguage({
  'step-up': [
    'the user can unlock it with a second factor, and so can two admins',
    'der Nutzer kann es mit einem zweiten Faktor entsperren, oder zwei Admins',
  ],
  admins: ['only two admins can unlock it', 'nur zwei Admins können es entsperren'],
});

/** The queries that an action about a user changes. */
export const AREAS = ['users', 'approvals', 'withdrawals'] as const;
