import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { StrategiesModule } from '../../investing/strategies/strategies.module.js';
import { Transaction } from './entities/transaction.entity.js';
import { TransactionsController } from './transactions.controller.js';
import { TransactionsListener } from './transactions.listener.js';
import { TransactionsRepository } from './transactions.repository.js';
import { TransactionsService } from './transactions.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Transaction]), StrategiesModule],
  controllers: [TransactionsController],
  providers: [TransactionsListener, TransactionsRepository, TransactionsService],
  exports: [TransactionsRepository],
})
export class TransactionsModule {}
