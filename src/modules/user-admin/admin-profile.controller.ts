import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { AdminRoute } from '../../http/auth/route.js';
import { fail } from '../../common/errors/domain-error.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import { AdminSelfResponse } from './dto/admin-users.response.js';
import { toAdminSelfResponse } from './user-admin.mapper.js';

@ApiTags('Admin: users')
@Controller('api/admin/profile')
export class AdminProfileController {
  constructor(private readonly admins: AdminDirectoryService) {}

  @Get()
  @AdminRoute(null, {
    summary: 'The signed-in admin as the configuration lists them',
    data: AdminSelfResponse,
  })
  profile(@CurrentAdmin() { id }: AdminPrincipal): AdminSelfResponse {
    return toAdminSelfResponse(this.admins.findAdmin(id) ?? fail('TOKEN_INVALID'));
  }
}
