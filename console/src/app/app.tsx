import { lazy, Suspense } from 'react';
import { Navigate, Route, Routes } from 'react-router';
import { inLanguage } from '../ui/language.ts';
import { LiveProvider } from './live.tsx';
import { Failure, Loaded } from './parts.tsx';
import { useSession } from './session.tsx';
import { Shell } from './shell.tsx';
import { SignIn } from './sign-in.tsx';
import { StepUpProvider } from './step-up.tsx';

const T = inLanguage({
  unreachable: [
    'The service cannot be reached. Check your connection, then load the page again.',
    'Der Dienst ist nicht erreichbar. Prüfen Sie die Verbindung und laden Sie die Seite neu.',
  ],
});

const Portfolio = lazy(() => import('./portfolio.tsx'));
const Deposit = lazy(() => import('./deposit.tsx'));
const Invest = lazy(() => import('./invest.tsx'));
const Position = lazy(() => import('./position.tsx'));
const Withdraw = lazy(() => import('./withdraw.tsx'));
const AddressBook = lazy(() => import('./address-book.tsx'));
const History = lazy(() => import('./history.tsx'));
const Transaction = lazy(() => import('./transaction.tsx'));
const NotificationList = lazy(() => import('./notification-list.tsx'));
const Proof = lazy(() => import('./proof.tsx'));
const Account = lazy(() => import('./account/account.tsx'));
const Security = lazy(() => import('./security/security.tsx'));
const Developers = lazy(() => import('./security/developers.tsx'));

const WAITING = { data: undefined, error: null, refetch: () => undefined };
const Waiting = () => <Loaded query={WAITING}>{() => null}</Loaded>;

export function App() {
  const { state } = useSession();
  if (state.status === 'loading') return <Waiting />;
  if (state.status === 'unreachable')
    return <Failure error={new Error(T.unreachable)} retry={() => location.reload()} />;
  if (state.status === 'signed-out') return <SignIn hasEnded={state.hasEnded} />;
  return (
    <LiveProvider>
      <StepUpProvider>
        <Shell>
          <Suspense fallback={<Waiting />}>
            <Routes>
              <Route index element={<Portfolio />} />
              <Route path="deposit" element={<Deposit />} />
              <Route path="invest" element={<Invest />} />
              <Route path="positions/:id" element={<Position />} />
              <Route path="withdraw" element={<Withdraw />} />
              <Route path="addresses" element={<AddressBook />} />
              <Route path="history" element={<History />} />
              <Route path="history/:id" element={<Transaction />} />
              <Route path="notifications" element={<NotificationList />} />
              <Route path="proof" element={<Proof />} />
              <Route path="account" element={<Account />} />
              <Route path="security" element={<Security />} />
              <Route path="developers" element={<Developers />} />
              <Route path="*" element={<Navigate to="/" replace />} />
            </Routes>
          </Suspense>
        </Shell>
      </StepUpProvider>
    </LiveProvider>
  );
}
