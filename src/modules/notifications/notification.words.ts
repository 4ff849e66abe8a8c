export const NOTIFICATION_TYPES = [
  'investment',
  'earning',
  'withdrawal',
  'deposit',
  'security',
  'system',
  'promotion',
] as const;
export type NotificationType = (typeof NOTIFICATION_TYPES)[number];

export const PRIORITIES = ['critical', 'high', 'normal', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Where a user interface files it. */
export const CATEGORIES = ['transaction', 'portfolio', 'account', 'platform'] as const;
export type Category = (typeof CATEGORIES)[number];

/** What somebody is told. */
export interface Note {
  readonly type: NotificationType;
  readonly priority: Priority;
  readonly category: Category;
  readonly title: string;
  readonly message: string;
  /** Path in the user interface, or null where there is nothing to do. */
  readonly actionUrl: string | null;
  readonly metadata: Readonly<Record<string, string | number | null>>;
}

/** A note as it stands, read or not. */
export interface Notification extends Note {
  readonly id: string;
  readonly userId: string;
  readonly createdAt: Date;
  readonly readAt: Date | null;
}
