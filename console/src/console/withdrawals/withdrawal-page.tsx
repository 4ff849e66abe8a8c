import { Alert, Button, Group, Paper, Text, Title } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { Link, useLocation, useParams } from 'react-router';
import { useWaitingApprovals } from '../../api/approvals.ts';
import { useWithdrawal, type WithdrawalDetail } from '../../api/withdrawals.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Failure } from '../../ui/failure.tsx';
import { formatMoney, visibleText } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { Shortcuts } from '../../ui/list-keys.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Grouped, Moment, Money } from '../../ui/values.tsx';
import { codeName, recordText } from '../record-names.ts';
import { useTransactionLink } from '../desk/transaction-link.tsx';
import { useAdmin, usePermits } from '../session.ts';
import { actionsOf, screeningOf, type Action, type ActionName } from './actions.ts';
import { SCREENING, StateBadges } from './state-badges.tsx';
import { ACTION, BLOCKED, CHECK, CHECK_REASON, EFFECT, STEP } from './texts.ts';
import { useWithdrawalActions } from './use-actions.tsx';

const QrCode = lazy(() => import('../../ui/qr-code.tsx'));

const T = inLanguage({
  title: [(email: string) => `Withdrawal of ${email}`, (email: string) => `Auszahlung von ${email}`],
  queue: ['Queue', 'Warteschlange'],
  pay: ['Pay exactly this', 'Genau das zahlen'],
  paid: ['Payment', 'Zahlung'],
  amount: ['Amount', 'Betrag'],
  address: ['Address', 'Adresse'],
  qr: ['QR code of the address', 'QR-Code der Adresse'],
  hash: ['Hash', 'Hash'],
  transaction: ['Transaction', 'Buchung'],
  check: ['Chain', 'Chain'],
  facts: ['To decide by', 'Zur Entscheidung'],
  requested: ['Requested', 'Beantragt'],
  addressBook: ['Address book', 'Adressbuch'],
  known: ['in it since', 'enthalten seit'],
  unknown: ['not in it', 'nicht enthalten'],
  paidBefore: ['Paid to it before', 'Schon dorthin gezahlt'],
  times: [
    (count: number) => (count === 0 ? 'never' : count === 1 ? 'once' : `${count} times`),
    (count: number) => (count === 0 ? 'noch nie' : `${count}-mal`),
  ],
  checksum: ['Checksum', 'Prüfsumme'],
  limit: ['Limit today', 'Grenze heute'],
  left: [
    (left: string, of: string) => `${left} of ${of} left`,
    (left: string, of: string) => `${left} von ${of} frei`,
  ],
  lifetime: ['Withdrawn so far', 'Bisher ausgezahlt'],
  screening: ['Screening', 'Prüfung'],
  screened: ['Screened', 'Geprüft'],
  notScreened: ['no provider is configured', 'kein Anbieter eingerichtet'],
  hold: ['Security hold until', 'Sicherheitssperre bis'],
  locked: ['Account locked since', 'Konto gesperrt seit'],
  lockReason: ['Reason for the lock', 'Grund der Kontosperre'],
  takenBy: ['Taken by', 'Übernommen von'],
  wallet: ['Wallet', 'Wallet'],
  note: ['Note', 'Notiz'],
  history: ['History', 'Verlauf'],
  notMine: [
    (by: string) => `${by} has taken it and may have paid it: talk to each other before you pay or reject.`,
    (by: string) =>
      `${by} hat sie übernommen und vielleicht gezahlt: Sprechen Sie miteinander, bevor Sie zahlen oder ablehnen.`,
  ],
});

const CHECKSUM = inLanguage({
  valid: ['right', 'richtig'],
  absent: ['the address has none', 'die Adresse hat keine'],
  mismatch: ['wrong', 'falsch'],
});

const RISK = inLanguage({
  low: ['low risk', 'geringes Risiko'],
  medium: ['medium risk', 'mittleres Risiko'],
  high: ['high risk', 'hohes Risiko'],
});

const KEYS: Readonly<Record<ActionName, string>> = {
  take: 't',
  execute: 't',
  approve: 'a',
  complete: 'c',
  reject: 'r',
  fail: 'n',
  return: 'b',
  release: 'l',
  accept: 's',
};

/** The actions that lead away from the payment. */
const LEADS_AWAY: ReadonlySet<ActionName> = new Set(['reject', 'fail', 'return']);

/** One withdrawal: what to decide by, what to pay, and what may be done. */
export default function WithdrawalPage() {
  const { id = '' } = useParams();
  return <OneWithdrawal key={id} id={id} />; // a dialog, and the keys of intents, belong to one record
}

function OneWithdrawal({ id }: { id: string }) {
  const { from = '' } = (useLocation().state ?? {}) as { from?: string };
  const { data: withdrawal, error, refetch } = useWithdrawal(id);
  const { email } = useAdmin();
  const mayApprove = usePermits('withdrawals:approve');
  const hasAll = usePermits('*');
  const approval = useWaitingApprovals('withdrawal').of(id);
  const { run, dialog, runningId } = useWithdrawalActions();
  if (!withdrawal) return error ? <Failure error={error} retry={() => void refetch()} /> : null;

  const mayReturn = hasAll || withdrawal.takenBy === email;
  const actions = actionsOf(withdrawal, { mayApprove, mayReturn, approval });
  const runIfPossible = ({ name, blocked }: Action) => !blocked && run(name, withdrawal);
  const { status, takenBy } = withdrawal;
  return (
    <>
      <Link to={`/withdrawals${from}`}>← {T.queue}</Link>
      <PageHead title={T.title(withdrawal.userEmail)}>
        <StateBadges withdrawal={withdrawal} approval={approval} />
      </PageHead>
      {status === 'processing' && takenBy && takenBy !== email && (
        <Alert color="yellow" mb="md">
          {T.notMine(takenBy)}
        </Alert>
      )}
      {approval === 'unknown' && (
        <Alert color="yellow" mb="md">
          {BLOCKED.unknown}
        </Alert>
      )}
      <Actions actions={actions} isRunning={runningId === id} onRun={runIfPossible} />
      <div className="columns">
        <Payment withdrawal={withdrawal} isToPay={status === 'processing' && approval === undefined} />
        <Paper withBorder p="md" component="section">
          <Title order={2} size="h4" mb="sm">
            {T.facts}
          </Title>
          <DecisionFacts withdrawal={withdrawal} />
        </Paper>
        <History withdrawal={withdrawal} />
      </div>
      <Shortcuts
        own={actions.map((action) => [KEYS[action.name], ACTION[action.name], () => runIfPossible(action)])}
      />
      {dialog}
    </>
  );
}

interface ActionsProps {
  actions: readonly Action[];
  isRunning: boolean;
  onRun: (action: Action) => void;
}

function Actions({ actions, isRunning, onRun }: ActionsProps) {
  if (actions.length === 0) return null;
  const reasons = [...new Set(actions.flatMap(({ blocked }) => blocked ?? []))];
  const next = actions.find(({ name, blocked }) => !blocked && !LEADS_AWAY.has(name));
  return (
    <>
      <Group mb="xs">
        {actions.map((action) => (
          <Button
            key={action.name}
            loading={isRunning}
            variant={action === next ? 'filled' : 'default'}
            title={action.blocked ?? EFFECT[action.name]}
            {...(action.blocked ? { 'aria-disabled': true } : {})}
            onClick={() => onRun(action)}
          >
            {ACTION[action.name]}
          </Button>
        ))}
      </Group>
      {reasons.map((reason) => (
        <Text key={reason} size="sm" c="dimmed" mb="xs">
          {reason}
        </Text>
      ))}
    </>
  );
}

/** `isToPay` is false while a change waits for a second admin, because the withdrawal may have been paid already. */
function Payment({ withdrawal, isToPay }: { withdrawal: WithdrawalDetail; isToPay: boolean }) {
  const { currency, destinationAddress, txHash, chainCheck, chainCheckReason } = withdrawal;
  const { netAmount } = withdrawal.withdrawal;
  return (
    <Paper withBorder p="md" component="section">
      <Title order={2} size="h4" mb="sm">
        {isToPay ? T.pay : T.paid}
      </Title>
      <Facts
        of={[
          [
            T.amount,
            <Group key="amount" gap="xs">
              <strong>
                <Money amount={netAmount} currency={currency} isExact />
              </strong>
              <CopyButton value={netAmount} label={T.amount} />
            </Group>,
          ],
          [T.address, <Grouped key="address" value={destinationAddress} label={T.address} />],
          [T.hash, txHash && <Grouped key="hash" value={txHash} label={T.hash} />],
          [
            T.check,
            chainCheck &&
              `${CHECK[chainCheck]}${chainCheckReason ? `: ${CHECK_REASON[chainCheckReason]}` : ''}`,
          ],
        ]}
      />
      {isToPay && (
        <Suspense fallback={null}>
          <QrCode text={destinationAddress} label={T.qr} />
        </Suspense>
      )}
    </Paper>
  );
}

function screeningText(withdrawal: WithdrawalDetail): string {
  const screening = screeningOf(withdrawal);
  const name =
    screening && screening in SCREENING ? SCREENING[screening as keyof typeof SCREENING] : T.notScreened;
  const { riskLevel } = withdrawal.complianceChecks;
  return riskLevel in RISK ? `${name}, ${RISK[riskLevel as keyof typeof RISK]}` : name;
}

function DecisionFacts({ withdrawal }: { withdrawal: WithdrawalDetail }) {
  const { addressBook, limits, hold, locked } = withdrawal;
  const transaction = useTransactionLink({ ...withdrawal, type: 'withdrawal' });
  return (
    <Facts
      of={[
        [T.requested, <Moment key="at" at={withdrawal.createdAt} />],
        [
          T.addressBook,
          addressBook.known && addressBook.since ? (
            <>
              {T.known} <Moment at={addressBook.since} />
            </>
          ) : (
            T.unknown
          ),
        ],
        [T.paidBefore, T.times(addressBook.paidCount)],
        [T.checksum, CHECKSUM[withdrawal.addressChecksum]],
        [T.limit, T.left(formatMoney(limits.remainingToday), formatMoney(limits.dailyLimit))],
        [T.lifetime, <Money key="lifetime" amount={limits.lifetimeWithdrawn} currency="USDC" />],
        [T.screening, screeningText(withdrawal)],
        [
          T.screened,
          withdrawal.complianceChecks.screenedAt && (
            <Moment isReal key="screened" at={withdrawal.complianceChecks.screenedAt} />
          ),
        ],
        [T.hold, hold && <Moment key="hold" at={hold.until} />],
        [T.locked, locked && <Moment key="locked" at={locked.since} />],
        [T.lockReason, locked?.reason],
        [T.wallet, withdrawal.walletAddress],
        [T.takenBy, withdrawal.takenBy],
        [T.note, withdrawal.note],
        [T.transaction, transaction],
      ]}
    />
  );
}

/** An admin or the user, whose notes stay as they are; not a provider or the service. */
const isByPerson = (by: string): boolean => by.includes('@');

function History({ withdrawal: { lifecycle } }: { withdrawal: WithdrawalDetail }) {
  return (
    <Paper withBorder p="md" component="section">
      <Title order={2} size="h4" mb="sm">
        {T.history}
      </Title>
      <ol className="history">
        {lifecycle.map(({ action, at, by, note }, index) => (
          <li key={index}>
            <strong>{STEP[action]}</strong> · {codeName(by)} · <Moment at={at} />
            {note && <div className="note">{isByPerson(by) ? visibleText(note) : recordText(note)}</div>}
          </li>
        ))}
      </ol>
    </Paper>
  );
}
