import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { BlockchainModule } from '../blockchain/blockchain.module.js';
import { NotificationsModule } from '../notifications/notifications.module.js';
import { ScreeningModule } from '../screening/screening.module.js';
import { TransactionsModule } from '../transactions/transactions.module.js';
import { UsersModule } from '../users/users.module.js';
import { WithdrawalsModule } from '../withdrawals/withdrawals.module.js';
import { AdminTransactionBookings } from './admin-transaction.bookings.js';
import { AdminTransaction } from './entities/admin-transaction.entity.js';
import { AdminTransactionRecords } from './admin-transaction.records.js';
import { AdminTransactionsController } from './admin-transactions.controller.js';
import { AdminTransactionQueries } from './admin-transactions.queries.js';
import { AdminTransactionsService } from './admin-transactions.service.js';
import { LedgerHorizon } from './ledger-horizon.js';
import { SuspenseQueries } from './suspense.queries.js';
import { TransactionRequest } from './entities/transaction-request.entity.js';
import { TransactionRequestRecords } from './transaction-request.records.js';
import { TransactionRequestsController } from './transaction-requests.controller.js';
import { TransactionRequestQueries } from './transaction-requests.queries.js';
import { TransactionRequestsService } from './transaction-requests.service.js';
import { TreasuryChainChecks } from './treasury-chain-checks.js';
import { Providers } from './treasury-providers.js';
import { TreasuryRunQueries } from './treasury-runs.queries.js';
import { TreasuryRunsService } from './treasury-runs.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([AdminTransaction, TransactionRequest]),
    AuditModule,
    AuthModule,
    BlockchainModule,
    NotificationsModule,
    ScreeningModule,
    TransactionsModule,
    UsersModule,
    WithdrawalsModule,
  ],
  controllers: [AdminTransactionsController, TransactionRequestsController],
  providers: [
    AdminTransactionsService,
    AdminTransactionBookings,
    AdminTransactionRecords,
    AdminTransactionQueries,
    SuspenseQueries,
    TransactionRequestsService,
    TransactionRequestRecords,
    TransactionRequestQueries,
    TreasuryRunsService,
    TreasuryRunQueries,
    TreasuryChainChecks,
    LedgerHorizon,
    Providers,
  ],
})
export class TreasuryModule {}
