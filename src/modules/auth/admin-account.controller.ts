import { Controller, Get } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { AdminRoute, PublicRoute } from '../../http/auth/route.js';
import { AdminAccountsService } from '../admins/admin-accounts.service.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import { AdminHealthResponse, AdminProfileResponse } from './dto/account.response.js';
import { toAdminHealthResponse, toAdminProfileResponse } from './auth.mapper.js';

@Controller('api/auth/admin')
export class AdminAccountController {
  constructor(
    private readonly admins: AdminDirectoryService,
    private readonly accounts: AdminAccountsService,
  ) {}

  @Get('profile')
  @AdminRoute(null, { summary: "The signed-in admin's account", data: AdminProfileResponse })
  async profile(@CurrentAdmin() { id }: AdminPrincipal): Promise<AdminProfileResponse> {
    return toAdminProfileResponse(await this.accounts.get(id));
  }

  @Get('health')
  @PublicRoute({ summary: 'Whether there are admins who can sign in', data: AdminHealthResponse })
  health(): AdminHealthResponse {
    return toAdminHealthResponse(this.admins.count(), this.admins.isReadable);
  }
}
