import { Body, Controller, Get, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { PathParam } from '../../../http/request/path-params.js';
import { EnvelopedResponse } from '../../../http/response/enveloped-response.js';
import {
  AdminStrategyResponse,
  StrategyChangeResponse,
  StrategyHistoryResponse,
} from './dto/strategy.response.js';
import { ChangeStrategyRequest, StrategyHistoryQuery } from './dto/strategies.request.js';
import { NavsService } from './navs.service.js';
import {
  toAdminStrategyResponse,
  toStrategyChangeResponse,
  toStrategyHistoryResponse,
} from './strategies.mapper.js';
import { StrategiesService } from './strategies.service.js';
import { StrategyChangesService } from './strategy-changes.service.js';

const NOT_APPLIED =
  'The request was recorded and not applied: strategies are set by configuration, and this one stays as it is.';

const StrategyId = () => PathParam({ name: 'id', description: 'id of the strategy', example: 'balanced-10' });

@ApiTags('Admin: strategies')
@Controller('api/admin/strategies')
export class AdminStrategiesController {
  constructor(
    private readonly strategies: StrategiesService,
    private readonly changes: StrategyChangesService,
    private readonly navs: NavsService,
  ) {}

  @Get()
  @AdminRoute(null, {
    summary: 'All strategies',
    data: [AdminStrategyResponse],
    unexpected: 'INTERNAL_ERROR',
  })
  list(): AdminStrategyResponse[] {
    return this.strategies.listStrategies().map(toAdminStrategyResponse);
  }

  @Get(':id/performance')
  @AdminRoute(null, {
    summary: 'Daily values and returns of a strategy, as users see them',
    data: StrategyHistoryResponse,
    errors: ['VALIDATION_ERROR', 'STRATEGY_NOT_FOUND', 'INVALID_DATE_RANGE'],
  })
  async performance(
    @StrategyId() id: string,
    @Query() query: StrategyHistoryQuery,
  ): Promise<StrategyHistoryResponse> {
    return toStrategyHistoryResponse(await this.navs.getHistory(id, query));
  }

  @Put(':id')
  @AdminRoute('*', {
    summary: 'Request a change; it is recorded and not applied, because strategies are set by configuration',
    data: StrategyChangeResponse,
    errors: ['STRATEGY_NOT_FOUND', 'VALIDATION_ERROR'],
  })
  async change(
    @StrategyId() id: string,
    @Body() body: ChangeStrategyRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<EnvelopedResponse<StrategyChangeResponse>> {
    return new EnvelopedResponse(
      toStrategyChangeResponse(await this.changes.requestChange(id, body, admin)),
      { message: NOT_APPLIED },
    );
  }
}
