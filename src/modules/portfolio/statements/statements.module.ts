import { Module } from '@nestjs/common';
import { AuditModule } from '../../core/audit/audit.module.js';
import { BalanceModule } from '../balance/balance.module.js';
import { InvestmentsModule } from '../../investing/investments/investments.module.js';
import { StrategiesModule } from '../../investing/strategies/strategies.module.js';
import { UsersModule } from '../../identity/users/users.module.js';
import { AdminStatementsController, StatementsController } from './statements.controller.js';
import { StatementsRepository } from './statements.repository.js';
import { StatementsService } from './statements.service.js';

@Module({
  imports: [AuditModule, BalanceModule, InvestmentsModule, StrategiesModule, UsersModule],
  controllers: [StatementsController, AdminStatementsController],
  providers: [StatementsService, StatementsRepository],
})
export class StatementsModule {}
