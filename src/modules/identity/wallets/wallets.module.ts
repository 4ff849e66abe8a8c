import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../core/audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { ChainModule } from '../../providers/chain/chain.module.js';
import { UsersModule } from '../users/users.module.js';
import { Wallet, WalletNonce } from './entities/wallet.entity.js';
import { UserWalletsController, WalletBalanceController, WalletsController } from './wallets.controller.js';
import { WalletChallengesService } from './wallet-challenges.service.js';
import { WalletLinksService } from './wallet-links.service.js';
import { WalletsRepository } from './wallets.repository.js';
import { WalletsService } from './wallets.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([Wallet, WalletNonce]),
    AuthModule,
    AuditModule,
    ChainModule,
    UsersModule,
  ],
  controllers: [WalletsController, UserWalletsController, WalletBalanceController],
  providers: [WalletsRepository, WalletsService, WalletLinksService, WalletChallengesService],
  exports: [WalletLinksService],
})
export class WalletsModule {}
