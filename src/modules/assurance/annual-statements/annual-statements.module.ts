import { Module } from '@nestjs/common';
import { BalanceModule } from '../../portfolio/balance/balance.module.js';
import { InvestmentsModule } from '../../investing/investments/investments.module.js';
import { ProofsModule } from '../proofs/proofs.module.js';
import { StrategiesModule } from '../../investing/strategies/strategies.module.js';
import { UsersModule } from '../../identity/users/users.module.js';
import { AnnualStatementsController } from './annual-statements.controller.js';
import { AnnualStatementsRepository } from './annual-statements.repository.js';
import { AnnualStatementsService } from './annual-statements.service.js';

@Module({
  imports: [BalanceModule, InvestmentsModule, ProofsModule, StrategiesModule, UsersModule],
  controllers: [AnnualStatementsController],
  providers: [AnnualStatementsService, AnnualStatementsRepository],
})
export class AnnualStatementsModule {}
