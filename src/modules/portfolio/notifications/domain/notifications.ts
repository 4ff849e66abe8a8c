import { daysBetween, type Day } from '../../../../common/days.js';
import { moneyText, timeText } from '../../../../common/message-texts.js';
import { MICRO_SCALE, type Money } from '../../../../common/money.js';
import type { AddressEvent } from '../../../funds/addresses/address.events.js';
import type { DepositEvent } from '../../../funds/deposits/deposit.events.js';
import type { WithdrawalEvent, WithdrawalLimitEvent } from '../../../funds/withdrawals/withdrawal.events.js';
import type { ApiKeyEvent } from '../../../identity/api-keys/domain/api-key.js';
import type { EmailChangedEvent, SecurityEvent } from '../../../identity/users/users.types.js';
import type { InvestmentEvent } from '../../../investing/investments/investment.events.js';
import type { LocalisedContent, NotificationContent, NotificationMetadata } from '../notifications.types.js';
import { ACCESS_KINDS, type WebhookFault } from './access-kinds.js';
import { INVESTMENT_KINDS, type Payout } from './investment-kinds.js';
import type { NotificationKind } from './notification-kind.js';
import { PAYMENT_KINDS } from './payment-kinds.js';
import { SECURITY_KINDS } from './security-kinds.js';

// Decides which notification follows from an event, from a booking by hand, from earnings, from a suspension or from a fault of a webhook.

const KINDS = { ...PAYMENT_KINDS, ...INVESTMENT_KINDS, ...SECURITY_KINDS, ...ACCESS_KINDS };

export type TextKind = keyof typeof KINDS;
/** The values that the texts of each kind name. */
export type TextValues = {
  [Kind in TextKind]: (typeof KINDS)[Kind] extends NotificationKind<infer Values> ? Values : never;
};

export const NOTIFICATION_KINDS: { readonly [Kind in TextKind]: NotificationKind<TextValues[Kind]> } = KINDS;

/** A notification with the text of `kind` in the language of its user. */
export function contentOf<Kind extends TextKind>(
  kind: Kind,
  values: TextValues[Kind],
  fields: Omit<NotificationContent, 'priority' | 'title' | 'message'>,
): LocalisedContent {
  const { priority, textsOf } = NOTIFICATION_KINDS[kind];
  return (language) => {
    const [title, message] = textsOf(values)[language];
    return { ...fields, priority, title, message };
  };
}

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

/** No notification for a webhook that was disabled: the module webhooks inserts one, whatever the reason. */
export function securityNotification(event: SecurityEvent): LocalisedContent | undefined {
  const { name, isKnownDevice, holdUntil, webhookUrl } = event;
  if (name === 'security.webhook-disabled') return undefined;
  const kind = isKnownDevice ? 'security.new-network' : name;
  // The event has the values that the texts of its kind name; the texts do not name those with a default here.
  const values = {
    device: event.device ?? null,
    network: event.network ?? '',
    holdUntil: holdUntil ? timeText(holdUntil) : null,
    status: event.status ?? 'active',
    reason: event.reason ?? null,
    wallet: event.wallet ?? '',
    host: webhookUrl === undefined ? '' : new URL(webhookUrl).host,
    factor: event.factor ?? 'passkey',
    tier: event.tier ?? '',
  };
  return securityContent(kind, values, { event: name });
}

export function emailChangedNotification({ name }: EmailChangedEvent): LocalisedContent {
  return securityContent(name, {}, { event: name });
}

export function addressNotification({ name, label, address }: AddressEvent): LocalisedContent {
  return securityContent(name, { label, address }, { event: name });
}

/** Shows the name and the prefix of the key. The prefix identifies the key to its owner and gives no access. */
export function apiKeyNotification({ name, keyName, prefix, address }: ApiKeyEvent): LocalisedContent {
  const metadata = { event: name, prefix, ...(address === null ? {} : { address }) };
  return securityContent(name, { keyName, prefix, address: address ?? '' }, metadata);
}

/** The notification about a webhook that the platform has disabled. */
export function webhookDisabledNotification(
  { id, url }: { readonly id: string; readonly url: string },
  fault: WebhookFault,
): LocalisedContent {
  return contentOf(
    'webhook.disabled',
    { host: new URL(url).host, fault },
    {
      type: 'system',
      category: 'platform',
      actionUrl: '/settings/webhooks',
      metadata: { webhookId: id, reason: fault },
    },
  );
}

function securityContent<Kind extends TextKind>(
  kind: Kind,
  values: TextValues[Kind],
  metadata: NotificationMetadata,
): LocalisedContent {
  const fields = { type: 'security', category: 'account', actionUrl: '/settings/security' } as const;
  return contentOf(kind, values, { ...fields, metadata });
}
