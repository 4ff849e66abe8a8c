import { Module } from '@nestjs/common';
import { AuditModule } from '../../core/audit/audit.module.js';
import { InvestmentsModule } from '../../investing/investments/investments.module.js';
import { StrategiesModule } from '../../investing/strategies/strategies.module.js';
import { BooksController } from './books.controller.js';
import { BooksRepository } from './books.repository.js';
import { BooksService } from './books.service.js';

@Module({
  imports: [AuditModule, InvestmentsModule, StrategiesModule],
  controllers: [BooksController],
  providers: [BooksService, BooksRepository],
})
export class BooksModule {}
