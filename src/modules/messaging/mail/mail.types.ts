/**
 * The kinds of mail. They equal the names of the domain events; `security.new-network` is the event `security.new-device` of a
 * known device.
 */
export const MAIL_KINDS = [
  'withdrawal.requested',
  'withdrawal.approved',
  'withdrawal.taken',
  'withdrawal.completed',
  'withdrawal.rejected',
  'withdrawal.cancelled',
  'withdrawal.failed',
  'withdrawal.released',
  'deposit.completed',
  'security.new-device',
  'security.new-network',
  'security.new-identity',
  'security.status-changed',
  'security.wallet-linked',
  'security.wallet-unlinked',
  'security.email-off',
  'security.factor-added',
  'security.factor-removed',
  'security.recovery-code-used',
  'security.second-factor-failed',
  'security.factors-reset',
  'security.account-locked',
  'security.account-unlocked',
  'security.tier-changed',
  'security.webhook-created',
  'security.webhook-changed',
  'security.webhook-removed',
  'security.webhook-disabled',
  'api-key.created',
  'api-key.revoked',
  'api-key.used-from-new-network',
  'address.added',
  'address.removed',
  'email.changed',
  'approval.requested',
  'approval.decided',
  'admin.password-set',
  'admin.password-changed',
  'admin.factor-added',
  'admin.factor-removed',
  'admin.factor-reset',
  'admin.recovery-code-used',
  'admin.second-factor-failed',
] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/** Sent only to users who have not switched e-mail off. All other kinds are about security: always sent, and sent first. */
const OPTIONAL_KINDS: ReadonlySet<MailKind> = new Set<MailKind>(['deposit.completed']);

export function isSecurityMail(kind: MailKind): boolean {
  return !OPTIONAL_KINDS.has(kind);
}

/** The variable parts of a mail. A template shows those that are present, in this order. */
export const MAIL_DETAILS = [
  'amount',
  'credited',
  'network',
  'to',
  'txHash',
  'device',
  'clientNetwork',
  'status',
  'tier',
  'wallet',
  'label',
  'address',
  'usableFrom',
  'keyName',
  'keyPrefix',
  'webhook',
  'oldEmail',
  'newEmail',
  'suspendedWallets',
  'revokedKeys',
  'disabledWebhooks',
  'change',
  'record',
  'decision',
  'requestedBy',
  'decidedBy',
  'reason',
  'note',
  'holdUntil',
  'at',
] as const;
export type MailDetail = (typeof MAIL_DETAILS)[number];

/** Each detail is on one line, with shortened chain addresses. */
export type MailDetails = Readonly<Partial<Record<MailDetail, string>>>;

export interface NewMail {
  readonly kind: MailKind;
  readonly details: MailDetails;
  /** An e-mail address; by default the user's present one. */
  readonly recipient?: string;
}

/** A mail to a user, by default to the user's address. */
export interface UserMail extends NewMail {
  readonly id: string;
  readonly userId: string;
  /** Domain time of the event. */
  readonly createdAt: Date;
  readonly dueAt: Date;
  /** As `Mail.repeats`. */
  readonly repeats: number | null;
  readonly furtherDetails: readonly MailDetails[];
}

export type MailStatus = 'waiting' | 'sent' | 'given-up';

/** The sentences of a kind of mail. They contain no text of a user. */
interface KindTexts {
  readonly subject: (details: MailDetails) => string;
  readonly message: string;
  /** What to do if the user did not cause the event. */
  readonly advice?: string;
}

export interface LanguageTexts {
  readonly greeting: (name: string) => string;
  readonly greetingWithoutName: string;
  /** In a mail about several events: how often the event has happened. */
  readonly several: (count: number) => string;
  readonly unlisted: (count: number) => string;
  readonly kinds: Readonly<Record<MailKind, KindTexts>>;
  readonly details: Readonly<Record<MailDetail, string>>;
  readonly statuses: Readonly<Record<string, string>>;
  /** The sentence before the link that locks the account, and the text of the link. */
  readonly lock: { readonly message: string; readonly link: string };
  readonly footer: { readonly optional: string; readonly security: string };
}
