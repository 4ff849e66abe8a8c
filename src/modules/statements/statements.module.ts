import { Module } from '@nestjs/common';
import { BalanceModule } from '../balance/balance.module.js';
import { InvestmentsModule } from '../investments/investments.module.js';
import { StrategiesModule } from '../strategies/strategies.module.js';
import { StatementsController } from './statements.controller.js';
import { StatementsService } from './statements.service.js';

@Module({
  imports: [BalanceModule, InvestmentsModule, StrategiesModule],
  controllers: [StatementsController],
  providers: [StatementsService],
})
export class StatementsModule {}
