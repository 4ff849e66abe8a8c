import { Module } from '@nestjs/common';
import { InvestmentsModule } from '../../investing/investments/investments.module.js';
import { StrategiesModule } from '../../investing/strategies/strategies.module.js';
import { UsersModule } from '../../identity/users/users.module.js';
import { BalanceController } from './balance.controller.js';
import { BalanceRepository } from './balance.repository.js';
import { BalanceHistoryService, BalanceService } from './balance.service.js';

@Module({
  imports: [InvestmentsModule, StrategiesModule, UsersModule],
  controllers: [BalanceController],
  providers: [BalanceRepository, BalanceService, BalanceHistoryService],
  exports: [BalanceService, BalanceHistoryService],
})
export class BalanceModule {}
