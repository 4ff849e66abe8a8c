import { Controller, Delete, Get, Param } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../http/auth/principal.js';
import { UserRoute } from '../../http/auth/route.js';
import { IdPipe } from '../../http/request/id.pipe.js';
import { WalletLinksService } from './wallet-links.service.js';
import { LinkedWalletResponse } from './dto/wallet.response.js';
import { toLinkedWalletResponse } from './wallets.mapper.js';

@Controller('api/user/wallets')
export class UserWalletsController {
  constructor(private readonly links: WalletLinksService) {}

  @Get()
  @UserRoute({
    summary: 'The wallets that are linked to my account, at most ten',
    data: [LinkedWalletResponse],
  })
  async list(@CurrentUser() user: UserPrincipal): Promise<LinkedWalletResponse[]> {
    return (await this.links.listLinkedWallets(user.id)).map(toLinkedWalletResponse);
  }

  @Delete(':id')
  @UserRoute({
    summary: 'Unlink a wallet: it cannot sign in any more, and the sessions that it has opened end',
    data: LinkedWalletResponse,
    errors: ['WALLET_NOT_FOUND', 'INVALID_STATE'],
  })
  async unlink(
    @CurrentUser() user: UserPrincipal,
    @Param('id', new IdPipe('WALLET_NOT_FOUND')) id: string,
  ): Promise<LinkedWalletResponse> {
    return toLinkedWalletResponse(await this.links.unlinkOwn(user, id));
  }
}
