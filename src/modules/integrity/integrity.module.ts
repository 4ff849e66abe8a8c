import { Module } from '@nestjs/common';
import { WithdrawalsModule } from '../withdrawals/withdrawals.module.js';
import { Examination } from './examination.js';
import { IntegrityRuns } from './integrity-runs.js';
import { IntegrityController } from './integrity.controller.js';
import { IntegrityService } from './integrity.service.js';
import { NightlyCheck } from './nightly-check.js';

@Module({
  imports: [WithdrawalsModule],
  controllers: [IntegrityController],
  providers: [Examination, IntegrityService, IntegrityRuns, NightlyCheck],
  exports: [IntegrityRuns],
})
export class IntegrityModule {}
