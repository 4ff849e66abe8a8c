import { Controller, Delete, Get, Param } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../http/auth/principal.js';
import { UserRoute } from '../../http/auth/route.js';
import { IdPipe } from '../../http/request/id.pipe.js';
import { WalletLinks } from './wallet-links.js';
import {
  LinkedWalletView,
  linkedWalletView,
  UnlinkedWalletView,
  unlinkedWalletView,
} from './dto/wallet.response.js';

@Controller('api/user/wallets')
export class UserWalletsController {
  constructor(private readonly links: WalletLinks) {}

  @Get()
  @UserRoute({ summary: 'The wallets that are linked to my account, at most ten', data: [LinkedWalletView] })
  async list(@CurrentUser() user: UserPrincipal): Promise<LinkedWalletView[]> {
    return (await this.links.of(user.id)).map(linkedWalletView);
  }

  @Delete(':id')
  @UserRoute({
    summary: 'Unlink a wallet: it cannot sign in any more, and the sessions that it has opened end',
    data: UnlinkedWalletView,
    errors: ['WALLET_NOT_FOUND', 'INVALID_STATE'],
  })
  async unlink(
    @CurrentUser() user: UserPrincipal,
    @Param('id', new IdPipe('WALLET_NOT_FOUND')) id: string,
  ): Promise<UnlinkedWalletView> {
    return unlinkedWalletView(await this.links.unlinkOwn(user, id));
  }
}
