import { Body, Controller, Get, Param, Put, Query } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../http/auth/principal.js';
import { UserRoute } from '../../http/auth/route.js';
import { Answer } from '../../http/response/enveloped-response.js';
import { paginate } from '../../http/request/pagination.js';
import { IdPipe } from '../../http/request/id.pipe.js';
import {
  MarkedView,
  NotificationPaginationView,
  notificationView,
  NotificationView,
  UnreadCountView,
} from './dto/notification.response.js';
import { MarkAllReadDto, NotificationsQuery } from './dto/notifications.request.js';
import { NotificationsQueries } from './notifications.queries.js';
import { Notifications } from './notifications.service.js';

@Controller('api/user/notifications')
export class NotificationsController {
  constructor(
    private readonly notifications: Notifications,
    private readonly queries: NotificationsQueries,
  ) {}

  @Get()
  @UserRoute({
    summary: "The user's notifications",
    data: [NotificationView],
    paged: NotificationPaginationView,
    errors: ['VALIDATION_ERROR', 'INVALID_PAGINATION'],
  })
  async list(
    @CurrentUser() user: UserPrincipal,
    @Query() query: NotificationsQuery,
  ): Promise<Answer<NotificationView[]>> {
    const { rows, total, unreadCount } = await this.queries.page(user.id, query);
    return new Answer(rows.map(notificationView), {
      pagination: { ...paginate(query.page, query.limit, total), unreadCount },
    });
  }

  @Get('unread/count')
  @UserRoute({ summary: 'How many notifications are unread', data: UnreadCountView })
  unreadCount(@CurrentUser() user: UserPrincipal): Promise<UnreadCountView> {
    return this.queries.unread(user.id);
  }

  @Put('mark-all-read')
  @UserRoute({
    summary: 'Mark notifications as read: all, of one type, or before a date',
    data: MarkedView,
    errors: ['VALIDATION_ERROR', 'NO_UNREAD_NOTIFICATIONS'],
  })
  markAllRead(@CurrentUser() user: UserPrincipal, @Body() body: MarkAllReadDto): Promise<MarkedView> {
    return this.notifications.readAll(user.id, body);
  }

  @Put(':id/read')
  @UserRoute({
    summary: 'Mark one notification as read',
    data: NotificationView,
    errors: ['NOTIFICATION_NOT_FOUND', 'PERMISSION_DENIED', 'ALREADY_READ'],
  })
  markRead(
    @CurrentUser() user: UserPrincipal,
    @Param('id', new IdPipe('NOTIFICATION_NOT_FOUND')) id: string,
  ): Promise<NotificationView> {
    return this.notifications.read(user.id, id);
  }
}
