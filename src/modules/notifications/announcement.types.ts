export const ANNOUNCEMENT_TYPES = ['promotion', 'system'] as const;
export type AnnouncementType = (typeof ANNOUNCEMENT_TYPES)[number];

export const AUDIENCES = ['all', 'investors'] as const;
export type Audience = (typeof AUDIENCES)[number];

/** A message of an admin to many users. */
export interface Announcement {
  readonly id: string;
  readonly type: AnnouncementType;
  readonly title: string;
  readonly message: string;
  readonly audience: Audience;
  /** The number of recipients when the announcement was made. */
  readonly recipients: number;
  readonly createdAt: Date;
}
