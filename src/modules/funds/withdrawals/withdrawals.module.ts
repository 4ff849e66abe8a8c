import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AddressesModule } from '../addresses/addresses.module.js';
import { AlertsModule } from '../../core/alerts/alerts.module.js';
import { AuditModule } from '../../core/audit/audit.module.js';
import { ChainModule } from '../../providers/chain/chain.module.js';
import { ScreeningModule } from '../../identity/screening/screening.module.js';
import { UsersModule } from '../../identity/users/users.module.js';
import { AdminWithdrawalsController } from './admin-withdrawals.controller.js';
import { AdminWithdrawalsRepository } from './admin-withdrawals.repository.js';
import { AdminWithdrawalsService } from './admin-withdrawals.service.js';
import { Withdrawal, WithdrawalStep, WithdrawalPause } from './entities/withdrawal.entity.js';
import { PaymentSearchService } from './payment-search.service.js';
import { PlatformLimitRepository } from './platform-limit.repository.js';
import { PlatformLimitService } from './platform-limit.service.js';
import { WithdrawalBatchesController } from './withdrawal-batches.controller.js';
import { WithdrawalBatchesService } from './withdrawal-batches.service.js';
import { WithdrawalListsRepository } from './withdrawal-lists.repository.js';
import { LatePaymentsJob, WithdrawalChainChecksJob, PlatformLimitJob } from './withdrawals.job.js';
import { WithdrawalOutcomesService } from './withdrawal-outcomes.service.js';
import { WithdrawalPausesService } from './withdrawal-pauses.service.js';
import { WithdrawalPaymentsRepository } from './withdrawal-payments.repository.js';
import { WithdrawalPaymentsService } from './withdrawal-payments.service.js';
import { WithdrawalReviewsService } from './withdrawal-reviews.service.js';
import { WithdrawalScreeningService } from './withdrawal-screening.service.js';
import { WithdrawalTransitionsService } from './withdrawal-transitions.service.js';
import { WithdrawalsController } from './withdrawals.controller.js';
import { WithdrawalsRepository, WithdrawalPausesRepository } from './withdrawals.repository.js';
import { WithdrawalsService } from './withdrawals.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([Withdrawal, WithdrawalStep, WithdrawalPause]),
    AddressesModule,
    AlertsModule,
    AuditModule,
    ChainModule,
    ScreeningModule,
    UsersModule,
  ],
  // The paths of the batches come before those with an id.
  controllers: [WithdrawalsController, WithdrawalBatchesController, AdminWithdrawalsController],
  providers: [
    AdminWithdrawalsRepository,
    AdminWithdrawalsService,
    LatePaymentsJob,
    PaymentSearchService,
    PlatformLimitJob,
    PlatformLimitRepository,
    PlatformLimitService,
    WithdrawalBatchesService,
    WithdrawalChainChecksJob,
    WithdrawalListsRepository,
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
