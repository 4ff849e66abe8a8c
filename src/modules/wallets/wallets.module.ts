import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { BlockchainModule } from '../blockchain/blockchain.module.js';
import { WalletBalanceController } from './wallet-balance.controller.js';
import { WalletChallenges } from './wallet-challenges.js';
import { WalletsController } from './wallets.controller.js';
import { Wallets } from './wallets.service.js';

@Module({
  imports: [AuthModule, BlockchainModule],
  controllers: [WalletsController, WalletBalanceController],
  providers: [Wallets, WalletChallenges],
  exports: [Wallets],
})
export class WalletsModule {}
