/** The kinds of mail. They equal the names of the domain events. */
export const MAIL_KINDS = [
  'withdrawal.requested',
  'withdrawal.completed',
  'withdrawal.rejected',
  'withdrawal.failed',
  'deposit.completed',
  'security.new-device',
  'security.new-identity',
  'security.status-changed',
  'security.wallet-linked',
  'api-key.created',
  'address.added',
  'email.changed',
] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/** The variable parts of a mail. A template shows those that are present, in this order. */
export const MAIL_DETAILS = [
  'amount',
  'credited',
  'network',
  'to',
  'txHash',
  'device',
  'status',
  'wallet',
  'label',
  'address',
  'usableFrom',
  'keyName',
  'keyPrefix',
  'oldEmail',
  'newEmail',
  'revokedKeys',
  'disabledWebhooks',
  'reason',
  'holdUntil',
  'at',
] as const;
export type MailDetail = (typeof MAIL_DETAILS)[number];

/** Each detail is on one line, with shortened chain addresses. */
export type MailDetails = Readonly<Partial<Record<MailDetail, string>>>;

export interface NewMail {
  readonly kind: MailKind;
  readonly details: MailDetails;
  /** True for mail about security, which is sent even if the user has switched e-mail off. */
  readonly isSecurity: boolean;
  /** An e-mail address; by default the user's present one. */
  readonly recipient?: string;
}

export type MailStatus = 'waiting' | 'sent' | 'given-up';
