import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AlertsModule } from '../alerts/alerts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { BlockchainModule } from '../blockchain/blockchain.module.js';
import { ScreeningModule } from '../screening/screening.module.js';
import { UsersModule } from '../users/users.module.js';
import { AdminWithdrawalsController } from './admin-withdrawals.controller.js';
import { AdminWithdrawalQueries } from './admin-withdrawals.repository.js';
import { LatePaymentWatch } from './late-payments.job.js';
import { WithdrawalChainChecksJob } from './withdrawal-chain-checks.job.js';
import { Withdrawal } from './entities/withdrawal.entity.js';
import { WithdrawalPausesService } from './withdrawal-pauses.service.js';
import { WithdrawalRecords } from './withdrawals.repository.js';
import { WithdrawalDestinations } from './withdrawal-destinations.js';
import { WithdrawalScreeningService } from './withdrawal-screening.service.js';
import { WithdrawalsController } from './withdrawals.controller.js';
import { WithdrawalQueries } from './withdrawals.queries.js';
import { WithdrawalsService } from './withdrawals.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([Withdrawal]),
    BlockchainModule,
    UsersModule,
    AuditModule,
    ScreeningModule,
    AlertsModule,
  ],
  controllers: [WithdrawalsController, AdminWithdrawalsController],
  providers: [
    WithdrawalsService,
    WithdrawalQueries,
    AdminWithdrawalQueries,
    WithdrawalRecords,
    WithdrawalChainChecksJob,
    WithdrawalDestinations,
    LatePaymentWatch,
    WithdrawalPausesService,
    WithdrawalScreeningService,
  ],
  exports: [WithdrawalsService, LatePaymentWatch, WithdrawalQueries, WithdrawalPausesService],
})
export class WithdrawalsModule {}
