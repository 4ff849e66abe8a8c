import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AlertsModule } from '../alerts/alerts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { BlockchainModule } from '../blockchain/blockchain.module.js';
import { ScreeningModule } from '../screening/screening.module.js';
import { UsersModule } from '../users/users.module.js';
import { AdminWithdrawalsController } from './admin-withdrawals.controller.js';
import { AdminWithdrawalQueries } from './admin-withdrawals.queries.js';
import { LatePaymentWatch } from './late-payment-watch.js';
import { WithdrawalChainChecks } from './withdrawal-chain-checks.js';
import { Withdrawal } from './entities/withdrawal.entity.js';
import { WithdrawalPauses } from './withdrawal-pauses.js';
import { WithdrawalRecords } from './withdrawal.records.js';
import { WithdrawalDestinations } from './withdrawal-destinations.js';
import { WithdrawalScreening } from './withdrawal-screening.js';
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
    WithdrawalChainChecks,
    WithdrawalDestinations,
    LatePaymentWatch,
    WithdrawalPauses,
    WithdrawalScreening,
  ],
  exports: [WithdrawalsService, LatePaymentWatch, WithdrawalQueries, WithdrawalPauses],
})
export class WithdrawalsModule {}
