import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AlertsModule } from '../../core/alerts/alerts.module.js';
import { AuditModule } from '../../core/audit/audit.module.js';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { ChainModule } from '../../providers/chain/chain.module.js';
import { DepositsModule } from '../../funds/deposits/deposits.module.js';
import { NotificationsModule } from '../../portfolio/notifications/notifications.module.js';
import { ScreeningModule } from '../../identity/screening/screening.module.js';
import { TransactionsModule } from '../../portfolio/transactions/transactions.module.js';
import { UsersModule } from '../../identity/users/users.module.js';
import { WalletsModule } from '../../identity/wallets/wallets.module.js';
import { WithdrawalsModule } from '../../funds/withdrawals/withdrawals.module.js';
import { AdminTransactionBookingsService } from './admin-transaction-bookings.service.js';
import { AdminTransactionInputsService } from './admin-transaction-inputs.service.js';
import { AdminTransactionsController, TransactionRequestsController } from './treasury.controller.js';
import { AdminTransactionsRepository } from './admin-transactions.repository.js';
import { AdminTransactionsService } from './admin-transactions.service.js';
import { AdminTransaction, TransactionRequest, TreasuryRun } from './entities/treasury.entity.js';
import { TransactionRequestsRepository } from './transaction-requests.repository.js';
import { TransactionRequestsService } from './transaction-requests.service.js';
import { TreasuryChainChecksService } from './treasury-chain-checks.service.js';
import { TreasuryRunsRepository } from './treasury-runs.repository.js';
import { TreasuryRunsService } from './treasury-runs.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([AdminTransaction, TransactionRequest, TreasuryRun]),
    AlertsModule,
    AuditModule,
    AuthModule,
    ChainModule,
    DepositsModule,
    NotificationsModule,
    ScreeningModule,
    TransactionsModule,
    UsersModule,
    WalletsModule,
    WithdrawalsModule,
  ],
  controllers: [AdminTransactionsController, TransactionRequestsController],
  providers: [
    AdminTransactionsService,
    AdminTransactionBookingsService,
    AdminTransactionInputsService,
    AdminTransactionsRepository,
    TransactionRequestsService,
    TransactionRequestsRepository,
    TreasuryRunsService,
    TreasuryRunsRepository,
    TreasuryChainChecksService,
  ],
  exports: [AdminTransactionsService],
})
export class TreasuryModule {}
