import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { AdminRoute } from '../../http/auth/route.js';
import { Answer } from '../../http/response/enveloped-response.js';
import { AdminStrategyView, StrategyChangeView } from './dto/admin-strategy.response.js';
import { ChangeStrategyDto } from './dto/strategies.request.js';
import { StrategyChanges } from './strategy-changes.service.js';

const NOT_APPLIED =
  'The request was recorded and not applied: strategies are set by configuration, and this one stays as it is.';

/** Admins' door. */
@ApiTags('Admin: strategies')
@Controller('api/admin/strategies')
export class AdminStrategiesController {
  constructor(private readonly changes: StrategyChanges) {}

  @Get()
  @AdminRoute(null, {
    summary: 'All strategies',
    data: [AdminStrategyView],
    unexpected: 'INTERNAL_ERROR',
  })
  list(): AdminStrategyView[] {
    return this.changes.list();
  }

  @Put(':id')
  @AdminRoute('*', {
    summary: 'Request a change; it is recorded and not applied, because strategies are set by configuration',
    data: StrategyChangeView,
    errors: ['STRATEGY_NOT_FOUND', 'VALIDATION_ERROR'],
  })
  async change(
    @Param('id') id: string,
    @Body() body: ChangeStrategyDto,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<Answer<StrategyChangeView>> {
    return new Answer(await this.changes.request(id, body, admin), { message: NOT_APPLIED });
  }
}
