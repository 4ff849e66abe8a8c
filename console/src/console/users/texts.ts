import { inLanguage } from '../../ui/language.ts';

export const USER_STATUS = inLanguage({
  all: ['All', 'Alle'],
  active: ['Active', 'Aktiv'],
  suspended: ['Suspended', 'Suspendiert'],
  inactive: ['Inactive', 'Inaktiv'],
});

export const USER_STATUS_COLOURS = { active: 'green', suspended: 'red', inactive: 'gray' } as const;

/** The queries that an action about a user changes. */
export const AREAS = ['users', 'approvals', 'withdrawals'] as const;
