import { Loader } from '@mantine/core';
import { BrowserRouter, Navigate, Route, Routes } from 'react-router';
import { createQueries } from '../api/queries.ts';
import { AUDIT_PAGES } from './audit-screens.ts';
import { Failure } from '../ui/failure.tsx';
import { renderPage } from '../ui/page-root.tsx';
import { deskRoutes } from './desk/desk-screens.tsx';
import { NotFound } from './not-found.tsx';
import {
  SCREENS,
  AlertsPage,
  ApprovalsPage,
  OverviewPage,
  preloadScreen,
  QueuePage,
  SecurityPage,
  UserPage,
  UsersPage,
  WithdrawalPage,
} from './screens.ts';
import { loadServiceTexts } from './service-texts.ts';
import { AdminProvider, permits, useSession, watchSession, type Admin } from './session.ts';
import { Shell } from './shell.tsx';
import { SignInPage } from './sign-in/sign-in-page.tsx';

function Console() {
  const { data: admin, error, refetch } = useSession();
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (admin === undefined) return <Loader m="xl" aria-label="…" />;
  if (admin === null) return <SignInPage />;
  return (
    <AdminProvider value={admin}>
      <Shell>{admin.lacksFactor ? <SecurityPage isNeeded /> : <Screens admin={admin} />}</Shell>
    </AdminProvider>
  );
}

function Screens({ admin }: { admin: Admin }) {
  const first = SCREENS.find(({ permission }) => !permission || permits(admin, permission));
  const mayOpen = (path: string) => {
    const screen = SCREENS.find((candidate) => candidate.path === path);
    return !screen?.permission || permits(admin, screen.permission);
  };
  return (
    <Routes>
      <Route index element={<Navigate to={first?.path ?? '/approvals'} replace />} />
      {mayOpen('/withdrawals') && (
        <>
          <Route path="withdrawals" element={<QueuePage />} />
          <Route path="withdrawals/:id" element={<WithdrawalPage />} />
        </>
      )}
      <Route path="approvals" element={<ApprovalsPage />} />
      <Route path="approvals/:id" element={<ApprovalsPage />} />
      {mayOpen('/alerts') && <Route path="alerts" element={<AlertsPage />} />}
      {deskRoutes(admin)}
      {mayOpen('/users') && (
        <>
          <Route path="users" element={<UsersPage />} />
          <Route path="users/:id" element={<UserPage />} />
        </>
      )}
      {mayOpen('/overview') && <Route path="overview" element={<OverviewPage />} />}
      {AUDIT_PAGES.filter(({ screen }) => mayOpen(screen)).map(({ path, Page }) => (
        <Route key={path} path={path} element={<Page />} />
      ))}
      <Route path="security" element={<SecurityPage />} />
      <Route path="*" element={<NotFound />} />
    </Routes>
  );
}

void preloadScreen(location.pathname);
const queries = createQueries();
watchSession(queries);
void renderPage(
  queries,
  <BrowserRouter basename="/console">
    <Console />
  </BrowserRouter>,
  loadServiceTexts(),
);
