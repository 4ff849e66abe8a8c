import { Module } from '@nestjs/common';
import { BalanceModule } from '../../portfolio/balance/balance.module.js';
import { ChainModule } from '../../providers/chain/chain.module.js';
import { DepositsModule } from '../../funds/deposits/deposits.module.js';
import { InvestmentsModule } from '../../investing/investments/investments.module.js';
import { NotificationsModule } from '../../portfolio/notifications/notifications.module.js';
import { StrategiesModule } from '../../investing/strategies/strategies.module.js';
import { TransactionsModule } from '../../portfolio/transactions/transactions.module.js';
import { UsersModule } from '../../identity/users/users.module.js';
import { WithdrawalsModule } from '../../funds/withdrawals/withdrawals.module.js';
import { ChainHealthService } from './chain-health.service.js';
import { DashboardController } from './dashboard.controller.js';
import { DashboardService } from './dashboard.service.js';

@Module({
  imports: [
    BalanceModule,
    ChainModule,
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
