import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { BlockchainModule } from '../blockchain/blockchain.module.js';
import { WalletBalanceController } from './wallet-balance.controller.js';
import { WalletChallenges } from './wallet-challenges.js';
import { WalletsController } from './wallets.controller.js';
import { UserWalletsController } from './user-wallets.controller.js';
import { WalletLinks } from './wallet-links.js';
import { WalletsService } from './wallets.service.js';

@Module({
  imports: [AuthModule, AuditModule, BlockchainModule],
  controllers: [WalletsController, UserWalletsController, WalletBalanceController],
  providers: [WalletsService, WalletLinks, WalletChallenges],
  exports: [WalletLinks],
})
export class WalletsModule {}
