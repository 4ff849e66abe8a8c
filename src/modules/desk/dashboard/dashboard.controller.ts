import { Controller, Get, Query } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../../http/auth/principal.js';
import { UserRoute } from '../../../http/auth/route.js';
import { StrategiesService } from '../../investing/strategies/strategies.service.js';
import { toDashboardResponse } from './dashboard.mapper.js';
import { DashboardQuery } from './dto/dashboard.request.js';
import { DashboardService } from './dashboard.service.js';
import { DashboardResponse } from './dto/dashboard.response.js';

@Controller('api/user/dashboard')
export class DashboardController {
  constructor(
    private readonly dashboard: DashboardService,
    private readonly strategies: StrategiesService,
  ) {}

  @Get()
  @UserRoute({
    summary: 'All sections of the dashboard',
    data: DashboardResponse,
    errors: ['VALIDATION_ERROR', 'USER_NOT_FOUND', 'PARTIAL_DATA_AVAILABLE'],
  })
  async get(@CurrentUser() user: UserPrincipal, @Query() query: DashboardQuery): Promise<DashboardResponse> {
    return toDashboardResponse(await this.dashboard.getDashboard(user.id, query), query, this.strategies);
  }
}
