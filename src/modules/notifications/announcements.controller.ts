import { Body, Controller, Post } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { AdminRoute } from '../../http/auth/route.js';
import { AnnouncementView, announcementView } from './dto/announcement.response.js';
import { AnnounceDto } from './dto/announcements.request.js';
import { Announcements } from './announcements.service.js';

@Controller('api/admin/announcements')
export class AnnouncementsController {
  constructor(private readonly announcements: Announcements) {}

  @Post()
  @AdminRoute('users:write', {
    summary:
      'Send an announcement to all users or all investors; notifications are written in the background',
    status: 201,
    data: AnnouncementView,
    errors: ['VALIDATION_ERROR'],
  })
  async announce(
    @Body() body: AnnounceDto,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<AnnouncementView> {
    return announcementView(await this.announcements.announce(body, admin));
  }
}
