import { Choice, Count, Instant, Text, Uuid } from '../../../http/openapi/fields.js';
import { ANNOUNCEMENT_TYPES, AUDIENCES } from '../notifications.constants.js';

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
