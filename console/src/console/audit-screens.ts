import { lazy, type ComponentType } from 'react';
import { inLanguage } from '../ui/language.ts';
import type { Permission } from './session.ts';
import './sections.css';

// The screens for audit and for operation. `screens.ts` has those before them in the navigation.

const T = inLanguage({
  audit: ['Audit log', 'Audit-Log'],
  integrity: ['Integrity', 'Integrität'],
  log: ['Transparency log', 'Transparenzlog'],
  proof: ['Proofs', 'Nachweise'],
  books: ['Books', 'Bücher'],
  reports: ['Reports', 'Berichte'],
  announcements: ['Announcements', 'Ankündigungen'],
  callbacks: ['Callbacks', 'Rückmeldungen'],
  events: ['Events', 'Ereignisse'],
  status: ['Status', 'Zustand'],
});

export const AUDIT_SCREENS: readonly { path: string; title: string; permission?: Permission }[] = [
  { path: '/audit', title: T.audit, permission: 'audit:read' },
  { path: '/integrity', title: T.integrity, permission: 'audit:read' },
  { path: '/log', title: T.log, permission: 'audit:read' },
  { path: '/proof', title: T.proof, permission: 'transactions:read' },
  { path: '/books', title: T.books, permission: 'reports:read' },
  { path: '/reports', title: T.reports, permission: 'reports:read' },
  { path: '/announcements', title: T.announcements, permission: 'users:write' },
  { path: '/callbacks', title: T.callbacks, permission: 'audit:read' },
  { path: '/events', title: T.events, permission: 'audit:read' },
  { path: '/status', title: T.status },
];

type Load = () => Promise<{ default: ComponentType }>;

/**
 * A page of a screen of the navigation: the screen itself, or with `further`, such as `/:id`, the page of one record. `pattern` matches
 * the addresses of the page.
 */
const page = (screen: string, load: Load, further = '') => ({
  screen,
  path: screen.slice(1) + further,
  pattern: new RegExp(`${screen}${further ? '/.' : '/?$'}`),
  load,
  Page: lazy(load),
});

const loadProof: Load = () => import('./proof/proof-page.tsx');
export const AUDIT_PAGES = [
  page('/audit', () => import('./audit/audit-page.tsx')),
  page('/integrity', () => import('./integrity/integrity-page.tsx')),
  page('/log', () => import('./log/log-page.tsx')),
  page('/proof', loadProof),
  page('/proof', loadProof, '/:id'),
  page('/books', () => import('./books/books-page.tsx')),
  page('/books', () => import('./books/account-page.tsx'), '/:id'),
  page('/reports', () => import('./reports/reports-page.tsx')),
  page('/announcements', () => import('./announcements/announcements-page.tsx')),
  page('/callbacks', () => import('./callbacks/callbacks-page.tsx')),
  page('/callbacks', () => import('./callbacks/callback-page.tsx'), '/:id'),
  page('/events', () => import('./events/events-page.tsx')),
  page('/status', () => import('./status/status-page.tsx')),
];
