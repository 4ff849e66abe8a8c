import { Controller, Get } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../http/auth/principal.js';
import { UserRoute } from '../../http/auth/route.js';
import { BalanceQueries } from './balance.queries.js';
import { balanceView, BalanceView } from './balance.views.js';

@Controller('api/user/balance')
export class BalanceController {
  constructor(private readonly balances: BalanceQueries) {}

  @Get()
  @UserRoute({
    summary: "The user's balance",
    data: BalanceView,
    errors: ['USER_NOT_FOUND', 'BLOCKCHAIN_ERROR'],
  })
  async get(@CurrentUser() user: UserPrincipal): Promise<BalanceView> {
    return balanceView(await this.balances.of(user.id));
  }
}
