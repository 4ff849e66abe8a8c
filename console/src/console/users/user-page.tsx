import { Badge } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useParams } from 'react-router';
import { useWaitingAbout } from '../../api/approvals.ts';
import { api, ApiError } from '../../api/client.ts';
import { REFRESH_MS } from '../../api/queries.ts';
import { useTiers } from '../../api/tiers.ts';
import { Facts } from '../../ui/facts.tsx';
import { Failure } from '../../ui/failure.tsx';
import { formatCount, formatMoney } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Section } from '../../ui/section.tsx';
import { Grouped, Moment, Money } from '../../ui/values.tsx';
import { Actions } from '../desk/actions.tsx';
import { codeName, recordText } from '../record-names.ts';
import { SCREENING, StateBadges } from '../withdrawals/state-badges.tsx';
import { usePermits } from '../session.ts';
import '../../ui/data-table.css';
import { statementOf } from './statement.ts';
import { AREAS, USER_STATUS, USER_STATUS_COLOURS } from './texts.ts';
import { Access, Obstacles } from './user-access.tsx';
import {
  accountActions,
  screeningActions,
  type ActionContext,
  type Tier,
  type UserDetail,
} from './user-actions.ts';
import { UserCredentials } from './user-credentials.tsx';

const T = inLanguage({
  users: ['Users', 'Nutzer'],
  account: ['Account', 'Konto'],
  money: ['Money', 'Geld'],
  id: ['Id', 'Id'],
  name: ['Name', 'Name'],
  verified: ['E-mail verified', 'E-Mail bestätigt'],
  yes: ['yes', 'ja'],
  no: ['no', 'nein'],
  tier: ['Limits', 'Grenzen'],
  each: [(sum: string) => `${sum} for each withdrawal`, (sum: string) => `${sum} je Auszahlung`],
  perDay: [(sum: string) => `${sum} in 24 hours`, (sum: string) => `${sum} in 24 Stunden`],
  perMonth: [(sum: string) => `${sum} in 30 days`, (sum: string) => `${sum} in 30 Tagen`],
  investment: [(sum: string) => `${sum} for each investment`, (sum: string) => `${sum} je Investition`],
  addressBook: ['only to the address book', 'nur ins Adressbuch'],
  unknownTier: [
    'The service does not know this tier: the strictest limits apply.',
    'Der Dienst kennt diese Stufe nicht: Es gelten die strengsten Grenzen.',
  ],
  registered: ['Registered', 'Registriert'],
  lastSeen: ['Last sign-in', 'Letzte Anmeldung'],
  wallet: ['Wallet', 'Wallet'],
  screening: ['Screening', 'Prüfung'],
  notScreened: ['no provider is configured', 'kein Anbieter eingerichtet'],
  risk: ['Risk', 'Risiko'],
  balance: ['Available and invested', 'Verfügbar und angelegt'],
  invested: ['Invested in total', 'Insgesamt investiert'],
  earnings: ['Growth', 'Ertrag'],
  withdrawn: ['Withdrawn', 'Ausgezahlt'],
  transactions: ['Transactions', 'Buchungen'],
  failed: ['failed', 'fehlgeschlagen'],
  deposits: ['Deposits', 'Einzahlungen'],
  investments: ['Investments', 'Investitionen'],
  withdrawals: ['Withdrawals', 'Auszahlungen'],
  activity: ['Activity', 'Aktivität'],
  none: ['None', 'Keine'],
});

const MAX_WITHDRAWALS = 20;

const isErased = (error: unknown) => error instanceof ApiError && error.code === 'USER_NOT_FOUND';

/** Everything about one user on one page, with what may be done about it. */
export default function UserPage() {
  const { id = '' } = useParams();
  return <OneUser key={id} id={id} />; // a dialog and the idempotency keys of its actions belong to one record
}

function OneUser({ id }: { id: string }) {
  const { from = '' } = (useLocation().state ?? {}) as { from?: string };
  const {
    data: user,
    error,
    refetch,
  } = useQuery({
    queryKey: ['users', 'one', id],
    queryFn: async () => (await api.call('GET /api/admin/users/{id}', { path: { id } })).data as UserDetail,
    refetchInterval: REFRESH_MS,
  });
  const waiting = useWaitingAbout('user', id);
  const maySeeWithdrawals = usePermits('withdrawals:read');
  if (!user || isErased(error)) return error ? <Failure error={error} retry={() => void refetch()} /> : null;
  return (
    <>
      <Link to={`/users${from}`}>← {T.users}</Link>
      <PageHead title={user.email}>
        <Badge variant="light" color={USER_STATUS_COLOURS[user.status]}>
          {USER_STATUS[user.status]}
        </Badge>
      </PageHead>
      <Obstacles user={user} waiting={waiting} />
      <div className="columns">
        <Account user={user} waiting={waiting} />
        <Access user={user} waiting={waiting} />
        <Funds user={user} />
        <Investments user={user} />
        {maySeeWithdrawals && <Withdrawals userId={id} />}
        <Activity user={user} />
        <UserCredentials userId={id} />
      </div>
    </>
  );
}

function Account(context: ActionContext) {
  const { user } = context;
  const { compliance, riskProfile, walletAddress, lastLoginAt } = user;
  const tiers = useTiers();
  const mayChange = usePermits('users:write');
  const mayAccept = usePermits('withdrawals:approve');
  const actions = [
    ...(mayChange ? accountActions(context, tiers) : []),
    ...(mayAccept ? screeningActions(context) : []),
  ];
  const screening = SCREENING[compliance.amlChecks as keyof typeof SCREENING] ?? T.notScreened;
  return (
    <Section title={T.account}>
      <Facts
        of={[
          [T.id, <Grouped key="id" value={user.id} label={T.id} />],
          [T.name, user.profile.name],
          [T.verified, user.emailVerified ? T.yes : T.no],
          [T.tier, <Limits key="tier" of={user.tier} tiers={tiers ?? []} />],
          [T.registered, <Moment key="registered" at={user.createdAt} />],
          [T.lastSeen, lastLoginAt && <Moment key="seen" at={lastLoginAt} />],
          [T.wallet, walletAddress && <Grouped key="wallet" value={walletAddress} label={T.wallet} />],
          [T.screening, screening],
          [T.risk, riskProfile.level && codeName(riskProfile.level)],
        ]}
      />
      {actions.length > 0 && (
        <div className="actions-below">
          <Actions isCompact hasReasons actions={actions} areas={AREAS} />
        </div>
      )}
    </Section>
  );
}

/** The tier, with the limits that it sets for withdrawals and investments. */
function Limits({ of, tiers }: { of: UserDetail['tier']; tiers: readonly Tier[] }) {
  const tier = tiers.find(({ id }) => id === of.id);
  const usdc = (amount: string) => `${formatMoney(amount)} USDC`;
  const limits = tier && [
    tier.withdrawal.perTransaction && T.each(usdc(tier.withdrawal.perTransaction)),
    T.perDay(usdc(tier.withdrawal.perDay)),
    tier.withdrawal.perMonth && T.perMonth(usdc(tier.withdrawal.perMonth)),
    tier.investment.maximum && T.investment(usdc(tier.investment.maximum)),
    tier.addressBook === 'required' && T.addressBook,
  ];
  return (
    <>
      {of.name ?? of.id}
      {limits && <div className="beneath">{limits.filter(Boolean).join(' · ')}</div>}
      {of.name === null && <div className="beneath">{T.unknownTier}</div>}
    </>
  );
}

function Funds({ user: { id, email, stats } }: { user: UserDetail }) {
  const maySeeTransactions = usePermits('transactions:read');
  const amount = (value: string) => <Money key={value} amount={value} currency="USDC" />;
  return (
    <Section title={T.money}>
      <Facts
        of={[
          [T.balance, amount(stats.currentBalance)],
          [T.invested, amount(stats.totalInvested)],
          [T.earnings, amount(stats.totalEarnings)],
          [T.withdrawn, amount(stats.totalWithdrawn)],
          [
            T.transactions,
            `${formatCount(stats.lifetimeTransactions)} (${formatCount(stats.failedTransactions)} ${T.failed})`,
          ],
        ]}
      />
      {maySeeTransactions && (
        <>
          <p>
            <Link to={`/deposits?user=${id}`}>{T.deposits}</Link> ·{' '}
            <Link to={`/transactions?user=${id}`}>{T.transactions}</Link>
          </p>
          <Actions isCompact actions={[statementOf(id, email)]} areas={[]} />
        </>
      )}
    </Section>
  );
}

function Investments({ user: { investments } }: { user: UserDetail }) {
  const mayOpen = usePermits('investments:read');
  return (
    <Section title={T.investments}>
      {investments.length === 0 && T.none}
      <ul className="plain-list">
        {investments.map(({ id, strategyId, currentValue, status, createdAt }) => (
          <li key={id}>
            {mayOpen ? <Link to={`/investments/${id}`}>{strategyId}</Link> : <strong>{strategyId}</strong>} ·{' '}
            <Money amount={currentValue} currency="USDC" /> · {codeName(status)} · <Moment at={createdAt} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Withdrawals({ userId }: { userId: string }) {
  const { data, error } = useQuery({
    queryKey: ['withdrawals', 'of-user', userId],
    queryFn: () => api.call('GET /api/admin/withdrawals', { query: { userId, limit: MAX_WITHDRAWALS } }),
  });
  const withdrawals = data && 'pagination' in data ? data.data : [];
  return (
    <Section title={T.withdrawals}>
      {error && <Failure error={error} />}
      {data && withdrawals.length === 0 && T.none}
      <ul className="plain-list">
        {withdrawals.map((withdrawal) => (
          <li key={withdrawal.id}>
            <Link to={`/withdrawals/${withdrawal.id}`}>
              <Money amount={withdrawal.amount} currency={withdrawal.currency} />
            </Link>{' '}
            <Moment at={withdrawal.createdAt} /> <StateBadges withdrawal={withdrawal} approval={undefined} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Activity({ user: { recentActivity } }: { user: UserDetail }) {
  return (
    <Section title={T.activity}>
      {recentActivity.length === 0 && T.none}
      <ul className="plain-list">
        {recentActivity.map(({ type, description, timestamp }, index) => (
          <li key={index}>
            <strong>{codeName(type)}</strong> {recordText(description)} · <Moment at={timestamp} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
