import { Body, Controller, Post } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { AnnouncementResponse } from './dto/notification.response.js';
import { CreateAnnouncementRequest } from './dto/notifications.request.js';
import { AnnouncementsService } from './announcements.service.js';
import { toResponse } from '../../../http/response/to-response.js';

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
