import { daysBetween, type Day } from '../../../common/days.js';
import { MICRO_SCALE, type Money } from '../../../common/money.js';
import type { DepositEvent } from '../../deposits/deposit.events.js';
import type { InvestmentEvent } from '../../investments/investment.events.js';
import type { WithdrawalEvent } from '../../withdrawals/withdrawal.events.js';
import type { NotificationContent, Priority } from '../notifications.types.js';

// Decides which notification follows from an event about money, from earnings or from a suspension, with its text and priority.

export type NotificationText = readonly [priority: Priority, title: string, message: string];

/** No notification for the user's own claim or for new confirmations. */
export function depositNotification(event: DepositEvent): NotificationContent | undefined {
  const text = depositText(event);
  return (
    text &&
    notificationContent('deposit', 'transaction', text, '/deposits', {
      depositId: event.depositId,
      amount: formatAmount(event.amount),
      currency: event.currency,
      network: event.network,
      txHash: event.txHash,
    })
  );
}

function depositText(event: DepositEvent): NotificationText | undefined {
  const received = `${formatAmount(event.amount)} ${event.currency}`;
  switch (event.name) {
    case 'deposit.seen':
      return [
        'low',
        'Deposit seen',
        `Your deposit of ${received} is on its way. It waits for confirmations on ${event.network}.`,
      ];
    case 'deposit.claimed':
    case 'deposit.confirming':
      return undefined;
    case 'deposit.completed':
      return ['high', 'Deposit completed', completedDepositText(event, received)];
    case 'deposit.held':
      return [
        'high',
        'Deposit held',
        withReason(`Your deposit of ${received} has arrived but is not credited yet.`, event.reason),
      ];
    case 'deposit.covered':
      return [
        'normal',
        'Deposit credited before',
        withReason(`Your deposit of ${received} has arrived.`, event.reason),
      ];
    case 'deposit.failed':
      return [
        'high',
        'Deposit failed',
        withReason(`Your deposit of ${received} failed and is not credited.`, event.reason),
      ];
  }
}

function completedDepositText({ currency, credited }: DepositEvent, received: string): string {
  if (currency === 'USDT' && credited)
    return `Your deposit of ${received} has been credited as ${formatAmount(credited)} USDC.`;
  return `Your deposit of ${received} has been credited.`;
}

export function investmentNotification(event: InvestmentEvent): NotificationContent {
  return notificationContent(
    'investment',
    'portfolio',
    investmentText(event),
    `/investments/${event.investmentId}`,
    {
      investmentId: event.investmentId,
      strategyId: event.strategyId,
      amount: formatAmount(event.principal),
      currency: 'USDC',
    },
  );
}

function investmentText(event: InvestmentEvent): NotificationText {
  const { name, principal, strategyName, growth, moved, isPending } = event;
  const amount = `${formatAmount(principal)} USDC`;
  if (moved) return moveText(name, amount, `${formatAmount(principal.plus(growth))} USDC`, moved);
  switch (name) {
    case 'investment.created':
      return isPending
        ? [
            'normal',
            'Investment requested',
            `Your investment of ${amount} in ${strategyName} waits for approval. The amount is reserved.`,
          ]
        : ['normal', 'Investment created', `You have invested ${amount} in ${strategyName}.`];
    case 'investment.approved':
      return [
        'normal',
        'Investment approved',
        `Your investment of ${amount} in ${strategyName} is approved and active.`,
      ];
    case 'investment.rejected':
      return [
        'normal',
        'Investment rejected',
        withReason(
          `Your investment of ${amount} in ${strategyName} was not approved. The amount is available again.`,
          event.reason ?? null,
        ),
      ];
    case 'investment.cancelled':
      return [
        'normal',
        'Investment cancelled',
        `Your investment of ${amount} in ${strategyName} is cancelled. ${
          growth.isZero() ? 'The amount is available again.' : payoutText(event)
        }`,
      ];
    case 'investment.partially-closed': {
      const left = event.part ? ` ${formatAmount(event.part.left)} USDC stay invested.` : '';
      return [
        'normal',
        'Investment partially closed',
        `Part of your investment in ${strategyName} is closed. ${payoutText(event)}${left}`,
      ];
    }
    case 'investment.closed':
      return [
        'normal',
        'Investment closed',
        `Your investment in ${strategyName} is closed. ${payoutText(event)}`,
      ];
  }
}

function payoutText({ principal, growth, fees }: InvestmentEvent): string {
  const paid = formatAmount(principal.plus(growth).minus(fees));
  const parts = `${formatAmount(principal)} principal, ${formatAmount(growth)} earnings, ${formatAmount(fees)} fees`;
  return `${paid} USDC are available again: ${parts}.`;
}

/** The texts for the closed and the created investment of a move. A move makes no money available. */
function moveText(
  name: InvestmentEvent['name'],
  principal: string,
  value: string,
  { from, to }: NonNullable<InvestmentEvent['moved']>,
): NotificationText {
  return name === 'investment.created'
    ? ['normal', 'Investment created', `You have moved ${value} from ${from} into ${to}.`]
    : [
        'normal',
        'Investment closed',
        `Your investment of ${principal} in ${from} is closed. Its value of ${value} goes on in ${to}.`,
      ];
}

/** No notification for an approval, which moves no money. */
export function withdrawalNotification(event: WithdrawalEvent): NotificationContent | undefined {
  const text = withdrawalText(event);
  return (
    text &&
    notificationContent('withdrawal', 'transaction', text, `/withdrawals/${event.withdrawalId}`, {
      withdrawalId: event.withdrawalId,
      amount: formatAmount(event.amount),
      currency: event.currency,
      toAddress: event.toAddress,
      txHash: event.txHash,
    })
  );
}

function withdrawalText({
  name,
  amount,
  currency,
  toAddress,
  reason,
}: WithdrawalEvent): NotificationText | undefined {
  const amountText = `${formatAmount(amount)} ${currency}`;
  const opening = `Your withdrawal of ${amountText} was`;
  switch (name) {
    case 'withdrawal.requested':
      return [
        'normal',
        'Withdrawal requested',
        `You have asked for ${amountText} to be sent to ${toAddress}. The amount is reserved.`,
      ];
    case 'withdrawal.approved':
      return undefined;
    case 'withdrawal.taken':
      return [
        'normal',
        'Withdrawal in progress',
        `Your withdrawal of ${amountText} is being carried out and can no longer be cancelled.`,
      ];
    case 'withdrawal.completed':
      return ['high', 'Withdrawal completed', `${amountText} have been sent to ${toAddress}.`];
    case 'withdrawal.cancelled':
      return ['normal', 'Withdrawal cancelled', `${opening} cancelled. The amount is available again.`];
    case 'withdrawal.rejected':
      return [
        'high',
        'Withdrawal rejected',
        withReason(`${opening} rejected. The amount is available again.`, reason),
      ];
    case 'withdrawal.failed':
      return [
        'high',
        'Withdrawal failed',
        withReason(
          `${opening} not carried out. The amount stays reserved until we have looked into it.`,
          reason,
        ),
      ];
    case 'withdrawal.released':
      return [
        'high',
        'Withdrawal amount released',
        `${opening} not carried out. The amount is available again.`,
      ];
  }
}

/** The growth of the days from `from` to `to`, both included, which may be negative; undefined if it is zero. */
export function earningsNotification(
  { from, to }: { from: Day; to: Day },
  growth: Money,
): NotificationContent | undefined {
  if (growth.isZero()) return undefined;
  const amount = growth.isNegative() ? growth.negated() : growth;
  const verb = growth.isNegative() ? 'lost' : 'earned';
  const when = from === to ? `on ${to}` : `from ${from} to ${to}`;
  const message = `Your investments ${verb} ${formatAmount(amount)} USDC ${when}.`;
  const metadata = { from, to, days: daysBetween(from, to) + 1, growth: formatAmount(growth) };
  return notificationContent(
    'earning',
    'portfolio',
    ['low', 'Daily earnings', message],
    '/investments',
    metadata,
  );
}

/** For users with a paused investment in the strategy, whose NAV has not changed since the day `flatSince`. */
export function suspensionNotification(
  strategy: { id: string; name: string },
  flatSince: Day,
): NotificationContent {
  const message =
    `${strategy.name} is suspended: your investments in it are paused. They keep their value and do not grow. ` +
    'You can close them or move them to another strategy at any time.';
  const metadata = { strategyId: strategy.id, flatSince };
  return notificationContent(
    'system',
    'platform',
    ['high', 'Strategy suspended', message],
    '/investments',
    metadata,
  );
}

export function notificationContent(
  type: NotificationContent['type'],
  category: NotificationContent['category'],
  [priority, title, message]: NotificationText,
  actionUrl: string,
  metadata: NotificationContent['metadata'],
): NotificationContent {
  return { type, category, priority, title, message, actionUrl, metadata };
}

/** Rounded down to six decimals: dust is credited to no user. */
function formatAmount(amount: Money): string {
  return amount.roundDown(MICRO_SCALE).toWire();
}

function withReason(sentence: string, reason: string | null): string {
  return reason ? `${sentence} ${reason}` : sentence;
}
