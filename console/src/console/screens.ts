import { lazy } from 'react';
import { AUDIT_PAGES, AUDIT_SCREENS } from './audit-screens.ts';
import { inLanguage } from '../ui/language.ts';
import { DESK_LOADERS, DESK_SCREENS } from './desk/desk-screens.tsx';
import type { Permission } from './session.ts';

const T = inLanguage({
  withdrawals: ['Withdrawals', 'Auszahlungen'],
  approvals: ['Approvals', 'Freigaben'],
  alerts: ['Alerts', 'Warnungen'],
  users: ['Users', 'Nutzer'],
  overview: ['Overview', 'Überblick'],
});

/** The screens in the order of the navigation; each is loaded when it is first shown. Without a permission every admin may open it. */
export const SCREENS: readonly { path: string; title: string; permission?: Permission }[] = [
  { path: '/withdrawals', title: T.withdrawals, permission: 'withdrawals:read' },
  { path: '/approvals', title: T.approvals },
  { path: '/alerts', title: T.alerts, permission: 'withdrawals:read' },
  ...DESK_SCREENS,
  { path: '/users', title: T.users, permission: 'users:read' },
  { path: '/overview', title: T.overview, permission: 'dashboard:read' },
  ...AUDIT_SCREENS,
];

const load = {
  queue: () => import('./withdrawals/queue-page.tsx'),
  withdrawal: () => import('./withdrawals/withdrawal-page.tsx'),
  approvals: () => import('./approvals/approvals-page.tsx'),
  alerts: () => import('./alerts/alerts-page.tsx'),
  users: () => import('./users/users-page.tsx'),
  user: () => import('./users/user-page.tsx'),
  overview: () => import('./overview/overview-page.tsx'),
  security: () => import('./security/security-page.tsx'),
};
export const QueuePage = lazy(load.queue);
export const WithdrawalPage = lazy(load.withdrawal);
export const ApprovalsPage = lazy(load.approvals);
export const AlertsPage = lazy(load.alerts);
export const UsersPage = lazy(load.users);
export const UserPage = lazy(load.user);
export const OverviewPage = lazy(load.overview);
export const SecurityPage = lazy(load.security);

const SCREEN_OF_PATH: readonly (readonly [RegExp, () => Promise<unknown>])[] = [
  ...AUDIT_PAGES.map(({ pattern, load: loadPage }) => [pattern, loadPage] as const),
  [/\/withdrawals\/./, load.withdrawal],
  [/\/users\/./, load.user],
  [/\/approvals/, load.approvals],
  [/\/alerts/, load.alerts],
  [/\/users/, load.users],
  [/\/overview/, load.overview],
  [/\/security/, load.security],
  ...DESK_LOADERS,
  [/./, load.queue],
];

/** Loads the screen of an address while the session is read. */
export const preloadScreen = (path: string) => SCREEN_OF_PATH.find(([pattern]) => pattern.test(path))?.[1]();
