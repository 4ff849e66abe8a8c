import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AddressesModule } from '../addresses/addresses.module.js';
import { AlertsModule } from '../alerts/alerts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { BlockchainModule } from '../blockchain/blockchain.module.js';
import { ScreeningModule } from '../screening/screening.module.js';
import { UsersModule } from '../users/users.module.js';
import { AdminWithdrawalsController } from './admin-withdrawals.controller.js';
import { AdminWithdrawalsRepository } from './admin-withdrawals.repository.js';
import { AdminWithdrawalsService } from './admin-withdrawals.service.js';
import { WithdrawalPause } from './entities/withdrawal-pause.entity.js';
import { WithdrawalStep } from './entities/withdrawal-step.entity.js';
import { Withdrawal } from './entities/withdrawal.entity.js';
import { PaymentSearchService } from './payment-search.service.js';
import { LatePaymentsJob, WithdrawalChainChecksJob } from './withdrawals.job.js';
import { WithdrawalOutcomesService } from './withdrawal-outcomes.service.js';
import { WithdrawalPausesRepository } from './withdrawal-pauses.repository.js';
import { WithdrawalPausesService } from './withdrawal-pauses.service.js';
import { WithdrawalPaymentsRepository } from './withdrawal-payments.repository.js';
import { WithdrawalPaymentsService } from './withdrawal-payments.service.js';
import { WithdrawalReviewsService } from './withdrawal-reviews.service.js';
import { WithdrawalScreeningService } from './withdrawal-screening.service.js';
import { WithdrawalTransitionsService } from './withdrawal-transitions.service.js';
import { WithdrawalsController } from './withdrawals.controller.js';
import { WithdrawalsRepository } from './withdrawals.repository.js';
import { WithdrawalsService } from './withdrawals.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([Withdrawal, WithdrawalStep, WithdrawalPause]),
    AddressesModule,
    AlertsModule,
    AuditModule,
    BlockchainModule,
    ScreeningModule,
    UsersModule,
  ],
  controllers: [WithdrawalsController, AdminWithdrawalsController],
  providers: [
    AdminWithdrawalsRepository,
    AdminWithdrawalsService,
    LatePaymentsJob,
    PaymentSearchService,
    WithdrawalChainChecksJob,
    WithdrawalOutcomesService,
    WithdrawalPausesRepository,
    WithdrawalPausesService,
    WithdrawalPaymentsRepository,
    WithdrawalPaymentsService,
    WithdrawalReviewsService,
    WithdrawalScreeningService,
    WithdrawalTransitionsService,
    WithdrawalsRepository,
    WithdrawalsService,
  ],
  exports: [
    WithdrawalsService,
    WithdrawalPausesService,
    WithdrawalPaymentsService,
    WithdrawalScreeningService,
  ],
})
export class WithdrawalsModule {}
