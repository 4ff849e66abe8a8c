import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { StrategiesModule } from '../strategies/strategies.module.js';
import { TransactionRecords } from './transaction-records.service.js';
import { Transaction } from './entities/transaction.entity.js';
import { TransactionsController } from './transactions.controller.js';
import { TransactionsListener } from './transactions.listener.js';
import { TransactionsQueries } from './transactions.queries.js';
import { TransactionsService } from './transactions.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Transaction]), StrategiesModule],
  controllers: [TransactionsController],
  providers: [TransactionRecords, TransactionsListener, TransactionsQueries, TransactionsService],
  exports: [TransactionRecords, TransactionsQueries],
})
export class TransactionsModule {}
