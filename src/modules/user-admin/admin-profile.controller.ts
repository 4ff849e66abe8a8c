import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { AdminRoute } from '../../http/auth/route.js';
import { fail } from '../../common/errors/domain-error.js';
import { AdminDirectory } from '../admins/admin-directory.js';
import { AdminSelfView, adminSelfView } from './dto/admin-users.response.js';

@ApiTags('Admin: users')
@Controller('api/admin/profile')
export class AdminProfileController {
  constructor(private readonly admins: AdminDirectory) {}

  @Get()
  @AdminRoute(null, { summary: 'The signed-in admin as the configuration lists them', data: AdminSelfView })
  profile(@CurrentAdmin() { id }: AdminPrincipal): AdminSelfView {
    return adminSelfView(this.admins.byId(id) ?? fail('TOKEN_INVALID'));
  }
}
