import { Controller, Get, Query } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../../http/auth/principal.js';
import { UserRoute } from '../../../http/auth/route.js';
import { toBalanceDayResponse, toBalanceResponse } from './balance.mapper.js';
import { BalanceHistoryService, BalanceService } from './balance.service.js';
import { BalanceHistoryQuery } from './dto/balance-history.request.js';
import { BalanceDayResponse, BalanceResponse } from './dto/balance.response.js';

@Controller('api/user/balance')
export class BalanceController {
  constructor(
    private readonly balances: BalanceService,
    private readonly history: BalanceHistoryService,
  ) {}

  @Get()
  @UserRoute({
    scope: 'balance:read',
    summary: "The user's balance",
    data: BalanceResponse,
    errors: ['USER_NOT_FOUND', 'BLOCKCHAIN_ERROR'],
  })
  async get(@CurrentUser() user: UserPrincipal): Promise<BalanceResponse> {
    return toBalanceResponse(await this.balances.getBalance(user.id));
  }

  @Get('history')
  @UserRoute({
    operationId: 'getBalanceHistory',
    scope: 'balance:read',
    summary: 'History of the balance by day, week or month',
    data: [BalanceDayResponse],
    errors: ['VALIDATION_ERROR', 'INVALID_DATE_RANGE'],
  })
  async list(
    @CurrentUser() user: UserPrincipal,
    @Query() query: BalanceHistoryQuery,
  ): Promise<BalanceDayResponse[]> {
    return (await this.history.listIntervals(user.id, query)).map(toBalanceDayResponse);
  }
}
