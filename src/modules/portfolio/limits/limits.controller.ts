import { Controller, Get } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { CurrentUser, type UserPrincipal } from '../../../http/auth/principal.js';
import { UserRoute } from '../../../http/auth/route.js';
import { StrategiesService } from '../../investing/strategies/strategies.service.js';
import { WithdrawalsService } from '../../funds/withdrawals/withdrawals.service.js';
import { LimitsResponse } from './dto/limits.response.js';
import { toLimitsResponse } from './limits.mapper.js';

@Controller('api/user/limits')
export class LimitsController {
  constructor(
    private readonly withdrawals: WithdrawalsService,
    private readonly strategies: StrategiesService,
    private readonly config: AppConfig,
  ) {}

  @Get()
  @UserRoute({
    scope: 'any',
    summary: 'The limits that withdrawals, deposits and investments of the user have to meet now',
    data: LimitsResponse,
  })
  async get(@CurrentUser() user: UserPrincipal): Promise<LimitsResponse> {
    return toLimitsResponse(
      await this.withdrawals.getAllowance(user.id),
      this.strategies.listStrategies(),
      this.config,
    );
  }
}
