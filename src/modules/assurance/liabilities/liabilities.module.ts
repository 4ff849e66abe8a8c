import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ChainModule } from '../../providers/chain/chain.module.js';
import { ProofsModule } from '../proofs/proofs.module.js';
import { AssetLinesService } from './asset-lines.service.js';
import { DayClosingRepository } from './day-closing.repository.js';
import { DayClosingService } from './day-closing.service.js';
import { PublishedDaysController, UserLiabilitiesController } from './liabilities.controller.js';
import { LiabilitiesJob } from './liabilities.job.js';
import { LiabilityChunk } from './entities/liability-chunk.entity.js';
import { LiabilityDay } from './entities/liability-day.entity.js';
import { LiabilityNodes } from './entities/liability-nodes.entity.js';
import { LiabilityTree } from './entities/liability-tree.entity.js';
import { LiabilityProofsService } from './liability-proofs.service.js';
import { LiabilityTreesRepository } from './liability-trees.repository.js';
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
    AssetLinesService,
    DayClosingRepository,
    DayClosingService,
    LiabilitiesJob,
    LiabilityProofsService,
    LiabilityTreesRepository,
    PastAmountsRepository,
    TreeBuildingService,
  ],
})
export class LiabilitiesModule {}
