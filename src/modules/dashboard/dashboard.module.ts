import { Module } from '@nestjs/common';
import { BalanceModule } from '../balance/balance.module.js';
import { BlockchainModule } from '../blockchain/blockchain.module.js';
import { DepositsModule } from '../deposits/deposits.module.js';
import { InvestmentsModule } from '../investments/investments.module.js';
import { NotificationsModule } from '../notifications/notifications.module.js';
import { StrategiesModule } from '../strategies/strategies.module.js';
import { TransactionsModule } from '../transactions/transactions.module.js';
import { UsersModule } from '../users/users.module.js';
import { WalletsModule } from '../wallets/wallets.module.js';
import { WithdrawalsModule } from '../withdrawals/withdrawals.module.js';
import { ChainWatch } from './chain-watch.js';
import { DashboardController } from './dashboard.controller.js';
import { DashboardService } from './dashboard.service.js';
import { DashboardSources } from './dashboard.sources.js';

@Module({
  imports: [
    BalanceModule,
    BlockchainModule,
    DepositsModule,
    InvestmentsModule,
    NotificationsModule,
    StrategiesModule,
    TransactionsModule,
    UsersModule,
    WalletsModule,
    WithdrawalsModule,
  ],
  controllers: [DashboardController],
  providers: [DashboardService, DashboardSources, ChainWatch],
})
export class DashboardModule {}
