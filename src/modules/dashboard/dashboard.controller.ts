import { Controller, Get, Query } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../http/auth/principal.js';
import { UserRoute } from '../../http/auth/route.js';
import { DashboardQuery } from './dto/dashboard.request.js';
import { DashboardService } from './dashboard.service.js';
import { DashboardResponse } from './dto/dashboard.response.js';

@Controller('api/user/dashboard')
export class DashboardController {
  constructor(private readonly dashboard: DashboardService) {}

  @Get()
  @UserRoute({
    summary: 'All sections of the dashboard',
    data: DashboardResponse,
    errors: ['VALIDATION_ERROR', 'USER_NOT_FOUND', 'PARTIAL_DATA_AVAILABLE'],
  })
  get(@CurrentUser() user: UserPrincipal, @Query() query: DashboardQuery): Promise<DashboardResponse> {
    return this.dashboard.of(user.id, query);
  }
}
