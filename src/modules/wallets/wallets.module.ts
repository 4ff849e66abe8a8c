import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { BlockchainModule } from '../blockchain/blockchain.module.js';
import { WalletBalanceController } from './wallet-balance.controller.js';
import { WalletChallengesService } from './wallet-challenges.service.js';
import { WalletsController } from './wallets.controller.js';
import { UserWalletsController } from './user-wallets.controller.js';
import { WalletLinksService } from './wallet-links.service.js';
import { WalletsService } from './wallets.service.js';

@Module({
  imports: [AuthModule, AuditModule, BlockchainModule],
  controllers: [WalletsController, UserWalletsController, WalletBalanceController],
  providers: [WalletsService, WalletLinksService, WalletChallengesService],
  exports: [WalletLinksService],
})
export class WalletsModule {}
