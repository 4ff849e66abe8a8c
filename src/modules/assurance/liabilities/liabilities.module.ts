import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ChainModule } from '../../providers/chain/chain.module.js';
import { ProofsModule } from '../proofs/proofs.module.js';
import { LiabilitiesRepository } from './liabilities.repository.js';
import { DayClosingService } from './day-closing.service.js';
import { PublishedDaysController, UserLiabilitiesController } from './liabilities.controller.js';
import { LiabilitiesJob } from './liabilities.job.js';
import {
  LiabilityChunk,
  LiabilityDay,
  LiabilityNodes,
  LiabilityTree,
} from './entities/liability-day.entity.js';
import { LiabilityProofsService } from './liability-proofs.service.js';
import { PastAmountsRepository } from './past-amounts.repository.js';
import { TreeBuildingService } from './tree-building.service.js';

@Module({
  imports: [
    ChainModule,
    ProofsModule,
    TypeOrmModule.forFeature([LiabilityChunk, LiabilityDay, LiabilityNodes, LiabilityTree]),
  ],
  controllers: [PublishedDaysController, UserLiabilitiesController],
  providers: [
    DayClosingService,
    LiabilitiesRepository,
    LiabilitiesJob,
    LiabilityProofsService,
    PastAmountsRepository,
    TreeBuildingService,
  ],
})
export class LiabilitiesModule {}
