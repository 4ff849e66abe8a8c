import { Controller, Get } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { CurrentUser, type UserPrincipal } from '../../http/auth/principal.js';
import { UserRoute } from '../../http/auth/route.js';
import { WalletBalancesResponse } from './dto/wallet.response.js';
import { toWalletBalancesResponse } from './wallets.mapper.js';
import { WalletsService } from './wallets.service.js';

@Controller('api/balance')
export class WalletBalanceController {
  constructor(
    private readonly wallets: WalletsService,
    private readonly config: AppConfig,
  ) {}

  @Get('wallet')
  @UserRoute({
    scope: 'balance:read',
    summary: "The user's wallets with their balances on chain",
    data: WalletBalancesResponse,
    errors: ['BLOCKCHAIN_ERROR'],
  })
  async get(@CurrentUser() user: UserPrincipal): Promise<WalletBalancesResponse> {
    return toWalletBalancesResponse(await this.wallets.listBalances(user.id), this.config.CHAIN_ID);
  }
}
