import { Module } from '@nestjs/common';
import { InvestmentsModule } from '../investments/investments.module.js';
import { StrategiesModule } from '../strategies/strategies.module.js';
import { UsersModule } from '../users/users.module.js';
import { BalanceController } from './balance.controller.js';
import { BalanceHistory } from './balance-history.queries.js';
import { BalanceHistoryService } from './balance-history.service.js';
import { BalanceQueries } from './balance.queries.js';

@Module({
  imports: [InvestmentsModule, StrategiesModule, UsersModule],
  controllers: [BalanceController],
  providers: [BalanceQueries, BalanceHistory, BalanceHistoryService],
  exports: [BalanceQueries, BalanceHistory],
})
export class BalanceModule {}
