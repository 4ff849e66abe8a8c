import { Choice, Count, Instant, Text, Uuid } from '../../../http/openapi/fields.js';
import { ANNOUNCEMENT_TYPES, AUDIENCES, type Announcement } from '../announcement.types.js';

export class AnnouncementResponse {
  @Uuid() id!: string;
  @Choice(ANNOUNCEMENT_TYPES) type!: string;
  @Text({ example: 'Maintenance on Sunday' }) title!: string;
  @Text() message!: string;
  @Choice(AUDIENCES) audience!: string;
  @Count({ description: 'number of recipients; their notifications are written in the background' })
  recipients!: number;
  @Instant() createdAt!: string;
}

export function toAnnouncementResponse(announcement: Announcement): AnnouncementResponse {
  const { id, type, title, message, audience, recipients, createdAt } = announcement;
  return { id, type, title, message, audience, recipients, createdAt: createdAt.toISOString() };
}
