import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useParams } from 'react-router';
import { api, type Answer } from '../../api/client.ts';
import { REFRESH_MS } from '../../api/queries.ts';
import { toTyped } from '../../ui/typed-decimal.ts';
import { Facts } from '../../ui/facts.tsx';
import { Failure } from '../../ui/failure.tsx';
import { formatCount, formatPercent, visibleText } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Section } from '../../ui/section.tsx';
import { Moment, Money } from '../../ui/values.tsx';
import { Actions, type DeskAction } from '../desk/actions.tsx';
import { useTransactionLink } from '../desk/transaction-link.tsx';
import { UserLink } from '../desk/user-link.tsx';
import { usePermits } from '../session.ts';
import { InvestmentState } from './investment-state.tsx';
import { STEP } from './texts.ts';

const T = inLanguage({
  title: [(email: string) => `Investment of ${email}`, (email: string) => `Investition von ${email}`],
  list: ['Investments', 'Investitionen'],
  terms: ['Investment', 'Investition'],
  value: ['Value', 'Wert'],
  now: ['If it were closed now', 'Bei Schließung jetzt'],
  history: ['History', 'Verlauf'],
  user: ['User', 'Nutzer'],
  strategy: ['Strategy', 'Strategie'],
  apy: ['Target a year', 'Ziel im Jahr'],
  transaction: ['Transaction', 'Buchung'],
  amount: ['Amount', 'Betrag'],
  created: ['Created', 'Angelegt'],
  approvedBy: ['Approved by', 'Genehmigt von'],
  ended: ['Ended', 'Beendet'],
  movedFrom: ['Moved from', 'Umgeschichtet aus'],
  movedTo: ['Moved to', 'Umgeschichtet nach'],
  show: ['show', 'anzeigen'],
  wallet: ['Wallet', 'Wallet'],
  today: ['Value today', 'Wert heute'],
  growth: ['Growth', 'Ertrag'],
  units: ['Units', 'Anteile'],
  navAtIssue: ['Value of a unit at the start', 'Anteilswert zu Beginn'],
  navNow: ['Value of a unit today', 'Anteilswert heute'],
  days: ['Days held', 'Gehaltene Tage'],
  nextYield: ['Grows next', 'Wächst wieder'],
  parts: ['Closed in parts', 'In Teilen geschlossen'],
  price: ['Price', 'Preis'],
  management: ['Management fee', 'Verwaltungsgebühr'],
  performance: ['Performance fee', 'Erfolgsgebühr'],
  carried: ['Fees before moves', 'Gebühren vor Umschichtungen'],
  paidOut: ['Paid out', 'Auszahlung'],
  approve: ['Approve', 'Genehmigen'],
  reject: ['Reject', 'Ablehnen'],
  close: ['Close', 'Schließen'],
  approveEffect: [
    'The investment becomes active and earns from the next day on.',
    'Die Investition wird aktiv und wächst ab dem nächsten Tag.',
  ],
  rejectEffect: [
    'The amount is available to the user again, and the user reads the reason. This cannot be undone.',
    'Der Betrag ist für den Nutzer wieder verfügbar, und der Nutzer liest den Grund. Das lässt sich nicht rückgängig machen.',
  ],
  closeEffect: [
    'The investment, or the part of its price that you enter, is closed at its price, the lower of the values of today and tomorrow, and the amount less fees is available to the user. This cannot be undone.',
    'Die Investition, oder der eingegebene Teil ihres Preises, wird zu ihrem Preis geschlossen, dem niedrigeren der Werte von heute und morgen, und der Betrag abzüglich Gebühren ist für den Nutzer verfügbar. Das lässt sich nicht rückgängig machen.',
  ],
  approved: ['Approved: it earns from the next day on', 'Genehmigt: sie wächst ab dem nächsten Tag'],
  rejected: ['Rejected: the amount is available again', 'Abgelehnt: der Betrag ist wieder verfügbar'],
  closed: [
    (amount: string) => `Closed: ${amount} USDC were paid out`,
    (amount: string) => `Geschlossen: ${amount} USDC wurden ausgezahlt`,
  ],
  reason: ['Reason', 'Grund'],
  reasonForUser: ['The user reads it.', 'Der Nutzer liest ihn.'],
  part: ['Part of the price (optional)', 'Teil des Preises (freiwillig)'],
  partMeaning: ['Without it everything is closed.', 'Ohne ihn wird alles geschlossen.'],
  readOnly: ['You may only read investments.', 'Sie dürfen Investitionen nur lesen.'],
});

type Investment = Answer<'GET /api/admin/investments/{id}'>['data'];
const KEYS = { approve: 'a', reject: 'r' };

const readOne = async (id: string) =>
  (await api.call('GET /api/admin/investments/{id}', { path: { id } })).data;

/** One investment, and the decision about it. */
export default function InvestmentPage() {
  const { id = '' } = useParams();
  const { from = '' } = (useLocation().state ?? {}) as { from?: string };
  const { data, error, refetch } = useQuery({
    queryKey: ['investments', 'one', id],
    queryFn: () => readOne(id),
    refetchInterval: REFRESH_MS,
  });
  const mayDecide = usePermits('investments:approve');
  if (!data) return error ? <Failure error={error} retry={() => void refetch()} /> : null;
  return (
    <>
      <Link to={`/investments${from}`}>← {T.list}</Link>
      <PageHead title={T.title(data.user.email)}>
        <InvestmentState {...data} />
      </PageHead>
      <Actions
        key={id}
        actions={actionsOf(data, mayDecide ? undefined : T.readOnly)}
        areas={['investments', 'overview', 'users']}
        actorOf={async () => (await readOne(id)).lifecycle.at(-1)?.by}
        keys={KEYS}
      />
      <div className="columns">
        <Terms investment={data} />
        <Value investment={data} />
        <IfClosedNow investment={data} />
        <History investment={data} />
      </div>
    </>
  );
}

function actionsOf(investment: Investment, blocked: string | undefined): DeskAction[] {
  const { id, status, amount, currentValue, strategyName, user } = investment;
  const one = (idempotencyKey: string) => ({ path: { id }, idempotencyKey });
  const facts = (
    <Facts
      of={[
        [T.user, user.email],
        [T.strategy, strategyName],
        [T.amount, <Money key="amount" amount={amount} currency="USDC" isExact />],
        [T.today, status === 'active' && <Money key="value" amount={currentValue} currency="USDC" isExact />],
      ]}
    />
  );
  if (status === 'pending')
    return [
      {
        ...{ name: 'approve', label: T.approve, effect: T.approveEffect, done: T.approved, blocked, facts },
        send: async (_, key) => void (await api.call('PUT /api/admin/investments/{id}/approve', one(key))),
      },
      {
        ...{ name: 'reject', label: T.reject, effect: T.rejectEffect, done: T.rejected, blocked, facts },
        isDangerous: true,
        fields: [{ name: 'reason', label: T.reason, kind: 'reason', description: T.reasonForUser }],
        send: async ({ reason = '' }, key) =>
          void (await api.call('PUT /api/admin/investments/{id}/reject', { ...one(key), body: { reason } })),
      },
    ];
  if (status !== 'active') return [];
  const { ifClosedNow } = investment;
  return [
    {
      ...{ name: 'close', label: T.close, effect: T.closeEffect, done: '', blocked }, // `send` returns the message
      facts: (
        <>
          {facts}
          {ifClosedNow && (
            <div>
              <Text fw={600}>{T.now}</Text>
              <Facts of={closingFacts(ifClosedNow)} />
            </div>
          )}
        </>
      ),
      isDangerous: true,
      fields: [
        { name: 'amount', label: T.part, kind: 'amount', description: T.partMeaning, isOptional: true },
      ],
      send: async (body, key) => {
        const { data } = await api.call('POST /api/admin/investments/{id}/close', { ...one(key), body });
        return { color: 'green', message: T.closed(data.withdrawnAmount) };
      },
    },
  ];
}

function Terms({ investment }: { investment: Investment }) {
  const { id, user, createdAt, movedFrom, movedTo, approvedBy, endedAt } = investment;
  const transaction = useTransactionLink({ type: 'investment', id, userId: user.id, createdAt });
  return (
    <Section title={T.terms}>
      <Facts
        of={[
          [T.user, <UserLink key="user" {...user} />],
          [T.wallet, user.walletAddress],
          [T.strategy, investment.strategyName],
          [T.apy, formatPercent(investment.apy)],
          [T.amount, <Money key="amount" amount={investment.amount} currency="USDC" isExact />],
          [T.created, <Moment key="created" at={createdAt} />],
          [T.transaction, transaction],
          [T.approvedBy, approvedBy],
          [T.ended, endedAt && <Moment key="ended" at={endedAt} />],
          [
            T.movedFrom,
            movedFrom && (
              <Link key="from" to={`/investments/${movedFrom}`}>
                {T.show}
              </Link>
            ),
          ],
          [
            T.movedTo,
            movedTo && (
              <Link key="to" to={`/investments/${movedTo}`}>
                {T.show}
              </Link>
            ),
          ],
        ]}
      />
    </Section>
  );
}

function Value({ investment }: { investment: Investment }) {
  const { closedParts, nextYieldDate } = investment;
  return (
    <Section title={T.value}>
      <Facts
        of={[
          [T.today, <Money key="value" amount={investment.currentValue} currency="USDC" isExact />],
          [
            T.growth,
            <span key="growth">
              <Money amount={investment.totalEarnings} currency="USDC" isExact /> (
              {formatPercent(investment.roi)})
            </span>,
          ],
          [T.units, toTyped(investment.units)],
          [T.navAtIssue, investment.navAtIssue && toTyped(investment.navAtIssue)],
          [T.navNow, toTyped(investment.navNow)],
          [T.days, formatCount(investment.daysHeld)],
          [T.nextYield, nextYieldDate && <Moment key="next" at={nextYieldDate} />],
          [
            T.parts,
            closedParts.count > 0 && (
              <span key="parts">
                {formatCount(closedParts.count)} × ·{' '}
                <Money amount={closedParts.principal} currency="USDC" isExact />
              </span>
            ),
          ],
        ]}
      />
    </Section>
  );
}

/** What a closing of the whole investment would pay. */
function closingFacts({ finalValue, withdrawnAmount, fees }: NonNullable<Investment['ifClosedNow']>) {
  return (
    [
      [T.price, finalValue],
      [T.management, fees.managementFee],
      [T.performance, fees.performanceFee],
      [T.carried, fees.carriedFees],
      [T.paidOut, withdrawnAmount],
    ] as const
  ).map(([name, amount]) => [name, <Money key={name} amount={amount} currency="USDC" isExact />] as const);
}

function IfClosedNow({ investment: { ifClosedNow } }: { investment: Investment }) {
  if (!ifClosedNow) return null;
  return (
    <Section title={T.now}>
      <Facts of={closingFacts(ifClosedNow)} />
    </Section>
  );
}

function History({ investment: { lifecycle } }: { investment: Investment }) {
  return (
    <Section title={T.history}>
      <ol className="history">
        {lifecycle.map(({ event, at, by, finalValue, note }, index) => (
          <li key={index}>
            <strong>{STEP[event]}</strong> · {by} · <Moment at={at} />
            {finalValue && (
              <Text size="sm" component="div">
                <Money amount={finalValue} currency="USDC" isExact />
              </Text>
            )}
            {note && <div className="note">{visibleText(note)}</div>}
          </li>
        ))}
      </ol>
    </Section>
  );
}
