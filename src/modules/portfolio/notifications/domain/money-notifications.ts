import { daysBetween, type Day } from '../../../../common/days.js';
import { moneyText } from '../../../../common/message-texts.js';
import { MICRO_SCALE, type Money } from '../../../../common/money.js';
import type { DepositEvent } from '../../../funds/deposits/deposit.events.js';
import type { InvestmentEvent } from '../../../investing/investments/investment.events.js';
import type { WithdrawalEvent, WithdrawalLimitEvent } from '../../../funds/withdrawals/withdrawal.events.js';
import type { LocalisedContent, NotificationMetadata } from '../notifications.types.js';
import type { Payout } from './investment-kinds.js';
import { contentOf, type TextKind, type TextValues } from './notification-texts.js';

// Decides which notification follows from an event about money, from a booking by hand, from earnings or from a suspension.

/** No notification for the user's own claim or for new confirmations. */
export function depositNotification(event: DepositEvent): LocalisedContent | undefined {
  const { name, depositId, amount, currency, network, credited, txHash, minimum, failure } = event;
  if (name === 'deposit.claimed' || name === 'deposit.confirming') return undefined;
  const isConverted = currency === 'USDT' && credited !== null;
  const values = {
    received: moneyText(amount, currency),
    credited: isConverted ? moneyText(credited) : null,
    network,
    minimum: minimum ? moneyText(minimum, currency) : null,
    failure: failure ?? null,
  };
  return contentOf(name, values, {
    type: 'deposit',
    category: 'transaction',
    actionUrl: '/deposits',
    metadata: { depositId, amount: formatAmount(amount), currency, network, txHash },
  });
}

/** No notification for `moved`: those of the closed and the created investment tell about the move. */
export function investmentNotification(event: InvestmentEvent): LocalisedContent | undefined {
  const { name, investmentId, strategyId, strategyName: strategy, principal, growth, moved } = event;
  const amount = moneyText(principal);
  const content = <Kind extends TextKind>(kind: Kind, values: TextValues[Kind]) =>
    contentOf(kind, values, {
      type: 'investment',
      category: 'portfolio',
      actionUrl: `/investments/${investmentId}`,
      metadata: { investmentId, strategyId, amount: formatAmount(principal), currency: 'USDC' },
    });
  if (name === 'investment.moved') return undefined;
  if (moved) {
    const values = { ...moved, principal: amount, value: moneyText(principal.plus(growth)) };
    return content(name === 'investment.created' ? 'investment.moved-into' : 'investment.moved-from', values);
  }
  switch (name) {
    case 'investment.created':
      return content(event.isPending ? 'investment.requested' : name, { amount, strategy });
    case 'investment.approved':
      return content(name, { amount, strategy });
    case 'investment.rejected':
      return content(name, { amount, strategy, reason: event.reason ?? null });
    case 'investment.cancelled':
      return content(name, { amount, strategy, payout: growth.isZero() ? null : payoutOf(event) });
    case 'investment.partially-closed': {
      const left = event.part ? moneyText(event.part.left) : null;
      return content(name, { strategy, payout: payoutOf(event), left });
    }
    case 'investment.closed':
      return content(name, { strategy, payout: payoutOf(event) });
  }
}

function payoutOf({ principal, growth, fees }: InvestmentEvent): Payout {
  return {
    paid: moneyText(principal.plus(growth).minus(fees)),
    principal: moneyText(principal),
    growth: moneyText(growth),
    fees: moneyText(fees),
  };
}

/** No notification for an approval or a return, which move no money. The text about a failure leaves out the provider's reason. */
export function withdrawalNotification(event: WithdrawalEvent): LocalisedContent | undefined {
  const { name, amount, currency, toAddress, txHash, reason } = event;
  if (name === 'withdrawal.approved' || name === 'withdrawal.returned') return undefined;
  const values = { amount: moneyText(amount, currency), toAddress, reason };
  return contentOf(name, values, withdrawalFields(event, { toAddress, txHash }));
}

export function withdrawalLimitNotification(event: WithdrawalLimitEvent): LocalisedContent {
  const { name, amount, currency } = event;
  return contentOf(name, { amount: moneyText(amount, currency) }, withdrawalFields(event));
}

function withdrawalFields(
  { withdrawalId, amount, currency }: WithdrawalEvent | WithdrawalLimitEvent,
  otherMetadata: NotificationMetadata = {},
) {
  return {
    type: 'withdrawal',
    category: 'transaction',
    actionUrl: `/withdrawals/${withdrawalId}`,
    metadata: { withdrawalId, amount: formatAmount(amount), currency, ...otherMetadata },
  } as const;
}

/** A deposit, withdrawal or reversal that admins have booked by hand. */
export interface Booked {
  readonly id: string;
  readonly type: 'deposit' | 'withdrawal' | 'reversal';
  readonly amount: Money;
  readonly currency: string;
  readonly txHash: string | null;
  /** Written by an admin. */
  readonly description: string;
}

export function bookingNotification(booked: Booked): LocalisedContent {
  const { id: transactionId, type, amount, currency, txHash, description: note } = booked;
  return contentOf(
    `booking.${type}`,
    { amount: moneyText(amount, currency), note },
    {
      type: type === 'withdrawal' ? 'withdrawal' : 'deposit',
      category: 'transaction',
      actionUrl: '/transactions',
      metadata: { transactionId, amount: formatAmount(amount), currency, txHash },
    },
  );
}

/** The growth of the days from `from` to `to`, both included, which may be negative; undefined if it is zero. */
export function earningsNotification(
  { from, to }: { from: Day; to: Day },
  growth: Money,
): LocalisedContent | undefined {
  if (growth.isZero()) return undefined;
  const isLoss = growth.isNegative();
  const amount = moneyText(isLoss ? growth.negated() : growth);
  const days = daysBetween(from, to) + 1;
  return contentOf(
    'earnings',
    { from, to, days, amount, isLoss },
    {
      type: 'earning',
      category: 'portfolio',
      actionUrl: '/investments',
      metadata: { from, to, days, growth: formatAmount(growth) },
    },
  );
}

/** For users with a paused investment in the strategy, whose NAV has not changed since the day `flatSince`. */
export function suspensionNotification(
  strategy: { id: string; name: string },
  flatSince: Day,
): LocalisedContent {
  return contentOf(
    'suspension',
    { strategy: strategy.name },
    {
      type: 'system',
      category: 'platform',
      actionUrl: '/investments',
      metadata: { strategyId: strategy.id, flatSince },
    },
  );
}

/** Rounded down to six decimals: dust is credited to no user. */
function formatAmount(amount: Money): string {
  return amount.roundDown(MICRO_SCALE).toWire();
}
