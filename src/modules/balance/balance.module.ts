import { Module } from '@nestjs/common';
import { InvestmentsModule } from '../investments/investments.module.js';
import { UsersModule } from '../users/users.module.js';
import { BalanceController } from './balance.controller.js';
import { BalanceQueries } from './balance.queries.js';

@Module({
  imports: [InvestmentsModule, UsersModule],
  controllers: [BalanceController],
  providers: [BalanceQueries],
  exports: [BalanceQueries],
})
export class BalanceModule {}
