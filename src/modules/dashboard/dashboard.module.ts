import { Module } from '@nestjs/common';
import { BalanceModule } from '../balance/balance.module.js';
import { BlockchainModule } from '../blockchain/blockchain.module.js';
import { DepositsModule } from '../deposits/deposits.module.js';
import { InvestmentsModule } from '../investments/investments.module.js';
import { NotificationsModule } from '../notifications/notifications.module.js';
import { StrategiesModule } from '../strategies/strategies.module.js';
import { TransactionsModule } from '../transactions/transactions.module.js';
import { UsersModule } from '../users/users.module.js';
import { WithdrawalsModule } from '../withdrawals/withdrawals.module.js';
import { ChainHealthService } from './chain-health.service.js';
import { DashboardController } from './dashboard.controller.js';
import { DashboardService } from './dashboard.service.js';

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
    WithdrawalsModule,
  ],
  controllers: [DashboardController],
  providers: [DashboardService, ChainHealthService],
})
export class DashboardModule {}
