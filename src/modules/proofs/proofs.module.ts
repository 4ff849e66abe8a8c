import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CommittedEntriesRepository } from './committed-entries.repository.js';
import { ProofCheckpoint } from './entities/proof-checkpoint.entity.js';
import { ProofKey } from './entities/proof-key.entity.js';
import { ProofLeaf } from './entities/proof-leaf.entity.js';
import { ProofLog } from './entities/proof-log.entity.js';
import { ProofTile } from './entities/proof-tile.entity.js';
import { LeafAppendingService } from './leaf-appending.service.js';
import { LogKeysService } from './log-keys.service.js';
import { LogLeavesService } from './log-leaves.service.js';
import { LogOpeningService } from './log-opening.service.js';
import { LogProofsService } from './log-proofs.service.js';
import { LogRepository } from './log.repository.js';
import { ProofsController } from './proofs.controller.js';
import { PublishedKeysService } from './published-keys.service.js';
import { SealingJob } from './sealing.job.js';
import { SealingService } from './sealing.service.js';
import { WellKnownController } from './well-known.controller.js';

@Module({
  imports: [TypeOrmModule.forFeature([ProofCheckpoint, ProofKey, ProofLeaf, ProofLog, ProofTile])],
  controllers: [ProofsController, WellKnownController],
  providers: [
    CommittedEntriesRepository,
    LeafAppendingService,
    LogKeysService,
    LogLeavesService,
    LogOpeningService,
    LogProofsService,
    LogRepository,
    PublishedKeysService,
    SealingJob,
    SealingService,
  ],
  exports: [LeafAppendingService, LogKeysService, LogLeavesService, LogProofsService, PublishedKeysService],
})
export class ProofsModule {}
