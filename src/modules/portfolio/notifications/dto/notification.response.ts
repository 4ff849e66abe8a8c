import {
  Choice,
  Count,
  Flag,
  Instant,
  MapOf,
  Nested,
  NextCursor,
  PageNumberField,
  PreviousCursor,
  Text,
  Uuid,
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
  @Uuid() id!: string;
  @Choice(NOTIFICATION_TYPES) type!: string;
  @Text() title!: string;
  @Text() message!: string;
  @Choice(PRIORITIES) priority!: string;
  @Flag() isRead!: boolean;
  @Choice(CATEGORIES) category!: string;
  @Text({ nullable: true, description: 'path in the user interface', example: '/deposits' }) actionUrl!:
    string | null;
  @MapOf(
    { type: ['string', 'integer', 'null'] },
    {
      description: 'ids, amounts, addresses, days and counts that the message is about',
      example: { amount: '100.00' },
    },
  )
  metadata!: Readonly<Record<string, string | number | null>>;
  @Instant() createdAt!: string;
  @Instant({ nullable: true }) readAt!: string | null;
}

export class NotificationPaginationResponse implements Pagination {
  @PageNumberField() page!: number | null;
  @Count({ description: 'largest number of rows of a page' }) limit!: number;
  @Count({ description: 'rows that the filter selects, on all pages' }) total!: number;
  @Count({ description: 'pages with this limit; 0 without rows' }) totalPages!: number;
  @Flag() hasNext!: boolean;
  @Flag() hasPrevious!: boolean;
  @NextCursor() next!: string | null;
  @PreviousCursor() previous!: string | null;
  @Count({ description: 'unread notifications of the user, regardless of the filter' }) unreadCount!: number;
}

class UnreadByPriorityResponse {
  @Count({ description: 'unread notifications of priority critical' }) critical!: number;
  @Count({ description: 'unread notifications of priority high' }) high!: number;
  @Count({ description: 'unread notifications of priority normal' }) normal!: number;
  @Count({ description: 'unread notifications of priority low' }) low!: number;
}

export class UnreadCountResponse {
  @Count({ description: 'all unread notifications of the user' }) total!: number;
  @MapOf(COUNT, {
    description: 'the number of unread notifications, by type; types without one are omitted',
    example: { deposit: 2 },
  })
  byType!: Record<string, number>;
  @Nested(() => UnreadByPriorityResponse) byPriority!: UnreadByPriorityResponse;
}

export class MarkedResponse {
  @Count({ description: 'notifications that this request has marked as read' }) markedCount!: number;
  @Count({ description: 'unread notifications of the user, regardless of the filter' })
  remainingUnread!: number;
  @MapOf(COUNT, {
    description: 'the number of notifications that were marked, by type',
    example: { deposit: 2 },
  })
  details!: Record<string, number>;
}

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
