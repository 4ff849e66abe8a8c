import { Body, Controller, Get, Post, Put, Query } from '@nestjs/common';
import {
  CurrentAdmin,
  CurrentUser,
  type AdminPrincipal,
  type UserPrincipal,
} from '../../../http/auth/principal.js';
import { AdminRoute, UserRoute } from '../../../http/auth/route.js';
import { IdParam } from '../../../http/request/path-params.js';
import type { EnvelopedResponse } from '../../../http/response/enveloped-response.js';
import { toResponse } from '../../../http/response/to-response.js';
import { AnnouncementsService } from './announcements.service.js';
import {
  CreateAnnouncementRequest,
  MarkAllReadRequest,
  NotificationsQuery,
} from './dto/notifications.request.js';
import {
  AnnouncementResponse,
  MarkedResponse,
  NotificationPaginationResponse,
  NotificationResponse,
  UnreadCountResponse,
} from './dto/notification.response.js';
import { toNotificationResponse, toNotificationsPage } from './notifications.mapper.js';
import { NotificationsService } from './notifications.service.js';

@Controller('api/user/notifications')
export class NotificationsController {
  constructor(private readonly notifications: NotificationsService) {}

  @Get()
  @UserRoute({
    scope: 'notifications:read',
    summary: "The user's notifications",
    data: [NotificationResponse],
    paged: NotificationPaginationResponse,
    errors: ['VALIDATION_ERROR', 'INVALID_PAGINATION'],
  })
  async list(
    @CurrentUser() user: UserPrincipal,
    @Query() query: NotificationsQuery,
  ): Promise<EnvelopedResponse<NotificationResponse[]>> {
    return toNotificationsPage(query, await this.notifications.listNotifications(user.id, query));
  }

  @Get('unread/count')
  @UserRoute({
    operationId: 'countUnreadNotifications',
    scope: 'notifications:read',
    summary: 'The number of unread notifications',
    data: UnreadCountResponse,
  })
  unreadCount(@CurrentUser() user: UserPrincipal): Promise<UnreadCountResponse> {
    return this.notifications.countUnread(user.id);
  }

  @Put('mark-all-read')
  @UserRoute({
    operationId: 'markNotificationsRead',
    summary: 'Mark notifications as read: all, of one type, or before a date',
    data: MarkedResponse,
    errors: ['VALIDATION_ERROR', 'NO_UNREAD_NOTIFICATIONS'],
  })
  markAllRead(@CurrentUser() user: UserPrincipal, @Body() body: MarkAllReadRequest): Promise<MarkedResponse> {
    return this.notifications.markAllRead(user.id, body);
  }

  @Put(':id/read')
  @UserRoute({
    operationId: 'markNotificationRead',
    summary: 'Mark one notification as read',
    data: NotificationResponse,
    errors: ['NOTIFICATION_NOT_FOUND', 'PERMISSION_DENIED', 'ALREADY_READ'],
  })
  async markRead(
    @CurrentUser() user: UserPrincipal,
    @IdParam('notification', 'NOTIFICATION_NOT_FOUND') id: string,
  ): Promise<NotificationResponse> {
    return toNotificationResponse(await this.notifications.markRead(user.id, id));
  }
}

@Controller('api/admin/announcements')
export class AnnouncementsController {
  constructor(private readonly announcements: AnnouncementsService) {}

  @Post()
  @AdminRoute('users:write', {
    summary:
      'Send an announcement to all users or all investors; notifications are written in the background',
    idempotent: true,
    status: 201,
    data: AnnouncementResponse,
    errors: ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async create(
    @Body() body: CreateAnnouncementRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<AnnouncementResponse> {
    return toResponse(AnnouncementResponse, await this.announcements.createAnnouncement(body, admin));
  }
}
