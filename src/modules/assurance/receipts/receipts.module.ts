import { Module } from '@nestjs/common';
import { DepositsModule } from '../../funds/deposits/deposits.module.js';
import { InvestmentsModule } from '../../investing/investments/investments.module.js';
import { ProofsModule } from '../proofs/proofs.module.js';
import { WithdrawalsModule } from '../../funds/withdrawals/withdrawals.module.js';
import { ReceiptsController } from './receipts.controller.js';
import { ReceiptsRepository } from './receipts.repository.js';
import { ReceiptsService } from './receipts.service.js';

@Module({
  imports: [DepositsModule, InvestmentsModule, ProofsModule, WithdrawalsModule],
  controllers: [ReceiptsController],
  providers: [ReceiptsRepository, ReceiptsService],
})
export class ReceiptsModule {}
