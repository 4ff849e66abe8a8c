import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ProofsModule } from '../proofs/proofs.module.js';
import { WithdrawalsModule } from '../../funds/withdrawals/withdrawals.module.js';
import { IntegrityRun } from './entities/integrity-run.entity.js';
import { IntegrityRunsRepository } from './integrity-runs.repository.js';
import { IntegrityController } from './integrity.controller.js';
import { IntegrityService } from './integrity.service.js';
import { InvariantsRepository } from './invariants.repository.js';
import { NightlyCheckJob } from './nightly-check.job.js';

@Module({
  imports: [TypeOrmModule.forFeature([IntegrityRun]), ProofsModule, WithdrawalsModule],
  controllers: [IntegrityController],
  providers: [InvariantsRepository, IntegrityService, IntegrityRunsRepository, NightlyCheckJob],
  exports: [IntegrityRunsRepository],
})
export class IntegrityModule {}
