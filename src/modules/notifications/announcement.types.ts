export const ANNOUNCEMENT_TYPES = ['promotion', 'system'] as const;
export type AnnouncementType = (typeof ANNOUNCEMENT_TYPES)[number];

export const AUDIENCES = ['all', 'investors'] as const;
export type Audience = (typeof AUDIENCES)[number];

/** What an admin tells many users at once. */
export interface Announcement {
  readonly id: string;
  readonly type: AnnouncementType;
  readonly title: string;
  readonly message: string;
  readonly audience: Audience;
  /** How many users it is for. */
  readonly recipients: number;
  readonly createdAt: Date;
}
