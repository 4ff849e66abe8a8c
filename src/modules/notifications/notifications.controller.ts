import { Body, Controller, Get, Param, Put, Query } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../http/auth/principal.js';
import { UserRoute } from '../../http/auth/route.js';
import { EnvelopedResponse } from '../../http/response/enveloped-response.js';
import { paginate } from '../../http/request/pagination.js';
import { IdPipe } from '../../http/request/id.pipe.js';
import {
  MarkedResponse,
  NotificationPaginationResponse,
  toNotificationResponse,
  NotificationResponse,
  UnreadCountResponse,
} from './dto/notification.response.js';
import { MarkAllReadRequest, NotificationsQuery } from './dto/notifications.request.js';
import { NotificationsQueries } from './notifications.queries.js';
import { NotificationsService } from './notifications.service.js';

@Controller('api/user/notifications')
export class NotificationsController {
  constructor(
    private readonly notifications: NotificationsService,
    private readonly queries: NotificationsQueries,
  ) {}

  @Get()
  @UserRoute({
    summary: "The user's notifications",
    data: [NotificationResponse],
    paged: NotificationPaginationResponse,
    errors: ['VALIDATION_ERROR', 'INVALID_PAGINATION'],
  })
  async list(
    @CurrentUser() user: UserPrincipal,
    @Query() query: NotificationsQuery,
  ): Promise<EnvelopedResponse<NotificationResponse[]>> {
    const { rows, total, unreadCount } = await this.queries.page(user.id, query);
    return new EnvelopedResponse(rows.map(toNotificationResponse), {
      pagination: { ...paginate(query.page, query.limit, total), unreadCount },
    });
  }

  @Get('unread/count')
  @UserRoute({ summary: 'How many notifications are unread', data: UnreadCountResponse })
  unreadCount(@CurrentUser() user: UserPrincipal): Promise<UnreadCountResponse> {
    return this.queries.unread(user.id);
  }

  @Put('mark-all-read')
  @UserRoute({
    summary: 'Mark notifications as read: all, of one type, or before a date',
    data: MarkedResponse,
    errors: ['VALIDATION_ERROR', 'NO_UNREAD_NOTIFICATIONS'],
  })
  markAllRead(@CurrentUser() user: UserPrincipal, @Body() body: MarkAllReadRequest): Promise<MarkedResponse> {
    return this.notifications.readAll(user.id, body);
  }

  @Put(':id/read')
  @UserRoute({
    summary: 'Mark one notification as read',
    data: NotificationResponse,
    errors: ['NOTIFICATION_NOT_FOUND', 'PERMISSION_DENIED', 'ALREADY_READ'],
  })
  markRead(
    @CurrentUser() user: UserPrincipal,
    @Param('id', new IdPipe('NOTIFICATION_NOT_FOUND')) id: string,
  ): Promise<NotificationResponse> {
    return this.notifications.read(user.id, id);
  }
}
