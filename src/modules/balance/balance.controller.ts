import { Controller, Get, Query } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../http/auth/principal.js';
import { UserRoute } from '../../http/auth/route.js';
import { BalanceHistoryQuery } from './dto/balance-history.request.js';
import { BalanceHistoryReader } from './balance-history.service.js';
import { BalanceDayView } from './dto/balance-history.response.js';
import { BalanceQueries } from './balance.queries.js';
import { balanceView, BalanceView } from './dto/balance.response.js';

@Controller('api/user/balance')
export class BalanceController {
  constructor(
    private readonly balances: BalanceQueries,
    private readonly history: BalanceHistoryReader,
  ) {}

  @Get()
  @UserRoute({
    summary: "The user's balance",
    data: BalanceView,
    errors: ['USER_NOT_FOUND', 'BLOCKCHAIN_ERROR'],
  })
  async get(@CurrentUser() user: UserPrincipal): Promise<BalanceView> {
    return balanceView(await this.balances.of(user.id));
  }

  @Get('history')
  @UserRoute({
    summary: 'History of the balance by day, week or month',
    data: [BalanceDayView],
    errors: ['VALIDATION_ERROR', 'INVALID_DATE_RANGE'],
  })
  list(@CurrentUser() user: UserPrincipal, @Query() query: BalanceHistoryQuery): Promise<BalanceDayView[]> {
    return this.history.list(user.id, query);
  }
}
