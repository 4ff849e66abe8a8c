import { lazy, type ComponentType } from 'react';
import { Route } from 'react-router';
import { inLanguage } from '../../ui/language.ts';
import { permits, type Admin } from '../session.ts';

const T = inLanguage({
  investments: ['Investments', 'Investitionen'],
  deposits: ['Deposits', 'Einzahlungen'],
  transactions: ['Transactions', 'Buchungen'],
  treasury: ['Treasury', 'Treasury'],
  reconciliation: ['Reconciliation', 'Abgleich'],
  yieldReports: ['Yield reports', 'Ertragsberichte'],
  strategies: ['Strategies', 'Strategien'],
});

type Load = () => Promise<{ default: ComponentType }>;
const screen = (load: Load) => ({ load, Page: lazy(load) });

interface DeskScreen {
  path: string;
  title: string;
  permission?: Parameters<typeof permits>[1];
  list: ReturnType<typeof screen>;
  /** The page of one record. */
  one?: ReturnType<typeof screen>;
}

/** The screens about money that moves, in the order of the navigation. */
export const DESK_SCREENS: readonly DeskScreen[] = [
  {
    ...{ path: '/investments', title: T.investments, permission: 'investments:read' },
    list: screen(() => import('../investments/investments-page.tsx')),
    one: screen(() => import('../investments/investment-page.tsx')),
  },
  {
    ...{ path: '/deposits', title: T.deposits, permission: 'transactions:read' },
    list: screen(() => import('../deposits/deposits-page.tsx')),
    one: screen(() => import('../deposits/deposit-page.tsx')),
  },
  {
    ...{ path: '/transactions', title: T.transactions, permission: 'transactions:read' },
    list: screen(() => import('../transactions/transactions-page.tsx')),
    one: screen(() => import('../transactions/transaction-page.tsx')),
  },
  {
    ...{ path: '/treasury', title: T.treasury, permission: 'transactions:read' },
    list: screen(() => import('../treasury/treasury-page.tsx')),
  },
  {
    ...{ path: '/reconciliation', title: T.reconciliation, permission: 'transactions:read' },
    list: screen(() => import('../reconciliation/reconciliations-page.tsx')),
    one: screen(() => import('../reconciliation/reconciliation-page.tsx')),
  },
  {
    ...{ path: '/yield-reports', title: T.yieldReports, permission: '*' },
    list: screen(() => import('../yield-reports/yield-reports-page.tsx')),
  },
  {
    ...{ path: '/strategies', title: T.strategies },
    list: screen(() => import('../strategies/strategies-page.tsx')),
  },
];

/** The routes of the screens that the admin may open. */
export const deskRoutes = (admin: Admin) =>
  DESK_SCREENS.filter(({ permission }) => !permission || permits(admin, permission)).flatMap(
    ({ path, list, one }) => [
      <Route key={path} path={path} element={<list.Page />} />,
      one && <Route key={`${path}/:id`} path={`${path}/:id`} element={<one.Page />} />,
    ],
  );

/** The loaders of the screens with the pattern of their addresses. The page of one record is before its list, whose pattern matches, too. */
export const DESK_LOADERS = DESK_SCREENS.flatMap(({ path, list, one }) => [
  ...(one ? [[new RegExp(`${path}/.`), one.load] as const] : []),
  [new RegExp(path), list.load] as const,
]);
