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

/** The section of the user interface that shows the notification. */
export const CATEGORIES = ['transaction', 'portfolio', 'account', 'platform'] as const;
export type Category = (typeof CATEGORIES)[number];

export const ANNOUNCEMENT_TYPES = ['promotion', 'system'] as const;
export type AnnouncementType = (typeof ANNOUNCEMENT_TYPES)[number];

export const AUDIENCES = ['all', 'investors'] as const;
export type Audience = (typeof AUDIENCES)[number];

export type NotificationMetadata = Readonly<Record<string, string | number | null>>;
