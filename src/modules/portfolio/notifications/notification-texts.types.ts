import type { DepositFailure } from '../../funds/deposits/entities/deposit.entity.js';
import type { SecondFactor } from '../../identity/users/security.events.js';
import type { UserStatus } from '../../identity/users/users.types.js';

// What the texts of notifications in each language are made of.

export type NotificationText = readonly [title: string, message: string];

/** What a closing makes available, and the parts of the sum. */
export interface Payout {
  readonly paid: string;
  readonly principal: string;
  readonly growth: string;
  readonly fees: string;
}

interface ClientDevice {
  /** The device's name; null if it has stated none. */
  readonly device: string | null;
  readonly network: string;
}

interface NamedKey {
  readonly keyName: string;
  readonly prefix: string;
}

interface Booking {
  readonly amount: string;
  /** Written by an admin. */
  readonly note: string;
}

interface EarningsPeriod {
  readonly from: string;
  readonly to: string;
  readonly days: number;
  /** Without sign. */
  readonly amount: string;
  readonly isLoss: boolean;
}

/** Why a webhook was disabled. */
export type WebhookFault = 'gone' | 'failing' | 'backlog';

/** The values that the texts of each kind name. Amounts have their unit. No value is a text of a provider. */
export interface TextValues {
  'deposit.seen': { received: string; network: string };
  'deposit.completed': { received: string; credited: string | null };
  'deposit.held': { received: string; minimum: string | null };
  'deposit.covered': { received: string };
  'deposit.failed': { received: string; failure: DepositFailure | null };
  'investment.requested': { amount: string; strategy: string };
  'investment.created': { amount: string; strategy: string };
  'investment.approved': { amount: string; strategy: string };
  'investment.rejected': { amount: string; strategy: string; reason: string | null };
  'investment.cancelled': { amount: string; strategy: string; payout: Payout | null };
  'investment.partially-closed': { strategy: string; payout: Payout; left: string | null };
  'investment.closed': { strategy: string; payout: Payout };
  'investment.moved-from': { principal: string; value: string; from: string; to: string };
  'investment.moved-into': { value: string; from: string; to: string };
  'withdrawal.requested': { amount: string; toAddress: string };
  'withdrawal.taken': { amount: string };
  'withdrawal.completed': { amount: string; toAddress: string };
  'withdrawal.cancelled': { amount: string };
  'withdrawal.rejected': { amount: string; reason: string | null };
  'withdrawal.failed': { amount: string };
  'withdrawal.released': { amount: string };
  'withdrawal-limit.held': { amount: string };
  'withdrawal-limit.released': { amount: string };
  'booking.deposit': Booking;
  'booking.withdrawal': Booking;
  'booking.reversal': Booking;
  earnings: EarningsPeriod;
  suspension: { strategy: string };
  'webhook.disabled': { host: string; fault: WebhookFault };
  'security.new-device': ClientDevice;
  'security.new-network': ClientDevice;
  'security.new-identity': { holdUntil: string | null };
  'security.status-changed': { status: UserStatus; reason: string | null };
  'security.wallet-linked': { wallet: string };
  'security.wallet-unlinked': { wallet: string };
  'security.wallet-suspended': { wallet: string };
  'security.email-off': object;
  'security.factor-added': { factor: SecondFactor };
  'security.factor-removed': { factor: SecondFactor };
  'security.recovery-code-used': object;
  'security.second-factor-failed': object;
  'security.factors-reset': object;
  'security.account-locked': { reason: string | null };
  'security.account-unlocked': object;
  'security.tier-changed': { tier: string };
  'security.webhook-created': { host: string };
  'security.webhook-changed': { host: string };
  'security.webhook-removed': { host: string };
  'email.changed': object;
  'address.added': { address: string; label: string };
  'address.removed': { address: string; label: string };
  'api-key.created': NamedKey;
  'api-key.revoked': NamedKey;
  'api-key.used-from-new-network': NamedKey & { address: string };
}

export type TextKind = keyof TextValues;

export type NotificationTexts = {
  readonly [Kind in TextKind]: (values: TextValues[Kind]) => NotificationText;
};

/** The texts of one language. */
export interface NotificationLanguage {
  readonly texts: NotificationTexts;
  /** Of a notification that stands for `count` events, from the text of the last one. */
  readonly several: (last: NotificationText, count: number) => NotificationText;
}
