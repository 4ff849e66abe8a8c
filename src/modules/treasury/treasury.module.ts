import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AlertsModule } from '../alerts/alerts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { BlockchainModule } from '../blockchain/blockchain.module.js';
import { DepositsModule } from '../deposits/deposits.module.js';
import { NotificationsModule } from '../notifications/notifications.module.js';
import { ScreeningModule } from '../screening/screening.module.js';
import { TransactionsModule } from '../transactions/transactions.module.js';
import { UsersModule } from '../users/users.module.js';
import { WalletsModule } from '../wallets/wallets.module.js';
import { WithdrawalsModule } from '../withdrawals/withdrawals.module.js';
import { AdminTransactionBookingsService } from './admin-transaction-bookings.service.js';
import { AdminTransactionInputsService } from './admin-transaction-inputs.service.js';
import { AdminTransactionsController } from './admin-transactions.controller.js';
import { AdminTransactionsRepository } from './admin-transactions.repository.js';
import { AdminTransactionsService } from './admin-transactions.service.js';
import { AdminTransaction } from './entities/admin-transaction.entity.js';
import { TransactionRequest } from './entities/transaction-request.entity.js';
import { TreasuryRun } from './entities/treasury-run.entity.js';
import { TransactionRequestsController } from './transaction-requests.controller.js';
import { TransactionRequestsRepository } from './transaction-requests.repository.js';
import { TransactionRequestsService } from './transaction-requests.service.js';
import { TreasuryChainChecksJob } from './treasury-chain-checks.job.js';
import { TreasuryChainChecksService } from './treasury-chain-checks.service.js';
import { TreasuryRunsRepository } from './treasury-runs.repository.js';
import { TreasuryRunsService } from './treasury-runs.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([AdminTransaction, TransactionRequest, TreasuryRun]),
    AlertsModule,
    AuditModule,
    AuthModule,
    BlockchainModule,
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
    TreasuryChainChecksJob,
  ],
  exports: [AdminTransactionsService],
})
export class TreasuryModule {}
