import {
  EnumField,
  IntegerField,
  BooleanField,
  InstantField,
  MapField,
  NestedField,
  NextCursorField,
  PageNumberField,
  PreviousCursorField,
  StringField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import type { Pagination } from '../../../../http/request/pagination.js';
import {
  ANNOUNCEMENT_TYPES,
  AUDIENCES,
  CATEGORIES,
  NOTIFICATION_TYPES,
  PRIORITIES,
} from '../notifications.types.js';

const COUNT = { type: 'integer' };

export class NotificationResponse {
  @UuidField() id!: string;
  @EnumField(NOTIFICATION_TYPES) type!: string;
  @StringField() title!: string;
  @StringField() message!: string;
  @EnumField(PRIORITIES) priority!: string;
  @BooleanField() isRead!: boolean;
  @EnumField(CATEGORIES) category!: string;
  @StringField({ nullable: true, description: 'path in the user interface', example: '/deposits' })
  actionUrl!: string | null;
  @MapField(
    { type: ['string', 'integer', 'null'] },
    {
      description: 'ids, amounts, addresses, days and counts that the message is about',
      example: { amount: '100.00' },
    },
  )
  metadata!: Readonly<Record<string, string | number | null>>;
  @InstantField() createdAt!: string;
  @InstantField({ nullable: true }) readAt!: string | null;
}

export class NotificationPaginationResponse implements Pagination {
  @PageNumberField() page!: number | null;
  @IntegerField({ description: 'largest number of rows of a page' }) limit!: number;
  @IntegerField({ description: 'rows that the filter selects, on all pages' }) total!: number;
  @IntegerField({ description: 'pages with this limit; 0 without rows' }) totalPages!: number;
  @BooleanField() hasNext!: boolean;
  @BooleanField() hasPrevious!: boolean;
  @NextCursorField() next!: string | null;
  @PreviousCursorField() previous!: string | null;
  @IntegerField({ description: 'unread notifications of the user, regardless of the filter' })
  unreadCount!: number;
}

class UnreadByPriorityResponse {
  @IntegerField({ description: 'unread notifications of priority critical' }) critical!: number;
  @IntegerField({ description: 'unread notifications of priority high' }) high!: number;
  @IntegerField({ description: 'unread notifications of priority normal' }) normal!: number;
  @IntegerField({ description: 'unread notifications of priority low' }) low!: number;
}

export class UnreadCountResponse {
  @IntegerField({ description: 'all unread notifications of the user' }) total!: number;
  @MapField(COUNT, {
    description: 'the number of unread notifications, by type; types without one are omitted',
    example: { deposit: 2 },
  })
  byType!: Record<string, number>;
  @NestedField(() => UnreadByPriorityResponse) byPriority!: UnreadByPriorityResponse;
}

export class MarkedResponse {
  @IntegerField({ description: 'notifications that this request has marked as read' }) markedCount!: number;
  @IntegerField({ description: 'unread notifications of the user, regardless of the filter' })
  remainingUnread!: number;
  @MapField(COUNT, {
    description: 'the number of notifications that were marked, by type',
    example: { deposit: 2 },
  })
  details!: Record<string, number>;
}

export class AnnouncementResponse {
  @UuidField() id!: string;
  @EnumField(ANNOUNCEMENT_TYPES) type!: string;
  @StringField({ example: 'Maintenance on Sunday' }) title!: string;
  @StringField() message!: string;
  @EnumField(AUDIENCES) audience!: string;
  @IntegerField({ description: 'number of recipients; their notifications are written in the background' })
  recipients!: number;
  @InstantField() createdAt!: string;
}
