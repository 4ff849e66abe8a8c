import { Module } from '@nestjs/common';
import { StrategiesModule } from '../strategies/strategies.module.js';
import { InvestmentHistory } from './investment-history.queries.js';
import { InvestmentMoves } from './investment-moves.service.js';
import { InvestmentsController } from './investments.controller.js';
import { InvestmentsQueries } from './investments.queries.js';
import { Investments } from './investments.service.js';

@Module({
  imports: [StrategiesModule],
  controllers: [InvestmentsController],
  providers: [Investments, InvestmentMoves, InvestmentsQueries, InvestmentHistory],
  exports: [Investments, InvestmentMoves, InvestmentsQueries, InvestmentHistory],
})
export class InvestmentsModule {}
