import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CommittedEntriesRepository } from './committed-entries.repository.js';
import { ProofCheckpoint } from './entities/proof-checkpoint.entity.js';
import { ProofKey } from './entities/proof-key.entity.js';
import { ProofLeaf } from './entities/proof-leaf.entity.js';
import { ProofLog } from './entities/proof-log.entity.js';
import { ProofTile } from './entities/proof-tile.entity.js';
import { LogKeysService } from './log-keys.service.js';
import { LogOpeningService } from './log-opening.service.js';
import { LogRepository } from './log.repository.js';
import { SealingJob } from './sealing.job.js';
import { SealingService } from './sealing.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([ProofCheckpoint, ProofKey, ProofLeaf, ProofLog, ProofTile])],
  providers: [
    CommittedEntriesRepository,
    LogKeysService,
    LogOpeningService,
    LogRepository,
    SealingJob,
    SealingService,
  ],
})
export class ProofsModule {}
