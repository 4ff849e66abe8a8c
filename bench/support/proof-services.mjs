// The services of the transparency log and of the proofs of liabilities on a database, without the Nest application.
import { FrozenClock } from '../../dist/common/clock.js';
import { openDatabase } from '../../dist/database/data-source.js';
import { DomainEvents } from '../../dist/events/domain-events.js';
import { PREPARING } from '../../dist/database/prepared.js';
import { Snapshots } from '../../dist/database/snapshots.js';
import { UnitOfWork } from '../../dist/database/unit-of-work.js';
import { AssetLinesService } from '../../dist/modules/assurance/liabilities/asset-lines.service.js';
import { DayClosingRepository } from '../../dist/modules/assurance/liabilities/day-closing.repository.js';
import { DayClosingService } from '../../dist/modules/assurance/liabilities/day-closing.service.js';
import { LiabilityChunk } from '../../dist/modules/assurance/liabilities/entities/liability-chunk.entity.js';
import { LiabilityDay } from '../../dist/modules/assurance/liabilities/entities/liability-day.entity.js';
import { LiabilityNodes } from '../../dist/modules/assurance/liabilities/entities/liability-nodes.entity.js';
import { LiabilityTree } from '../../dist/modules/assurance/liabilities/entities/liability-tree.entity.js';
import { LiabilityProofsService } from '../../dist/modules/assurance/liabilities/liability-proofs.service.js';
import { LiabilityTreesRepository } from '../../dist/modules/assurance/liabilities/liability-trees.repository.js';
import { PastAmountsRepository } from '../../dist/modules/assurance/liabilities/past-amounts.repository.js';
import { TreeBuildingService } from '../../dist/modules/assurance/liabilities/tree-building.service.js';
import { CommittedEntriesRepository } from '../../dist/modules/assurance/proofs/committed-entries.repository.js';
import { DayCheckpointsService } from '../../dist/modules/assurance/proofs/day-checkpoints.service.js';
import { ProofCheckpoint } from '../../dist/modules/assurance/proofs/entities/proof-checkpoint.entity.js';
import { ProofKey } from '../../dist/modules/assurance/proofs/entities/proof-key.entity.js';
import { ProofLeaf } from '../../dist/modules/assurance/proofs/entities/proof-leaf.entity.js';
import { ProofLog } from '../../dist/modules/assurance/proofs/entities/proof-log.entity.js';
import { LeafAppendingService } from '../../dist/modules/assurance/proofs/leaf-appending.service.js';
import { LogKeysService } from '../../dist/modules/assurance/proofs/log-keys.service.js';
import { LogLeavesService } from '../../dist/modules/assurance/proofs/log-leaves.service.js';
import { LogOpeningService } from '../../dist/modules/assurance/proofs/log-opening.service.js';
import { LogProofsService } from '../../dist/modules/assurance/proofs/log-proofs.service.js';
import { LogRepository } from '../../dist/modules/assurance/proofs/log.repository.js';
import { SealingService } from '../../dist/modules/assurance/proofs/sealing.service.js';

export const SIGNING_KEY = Buffer.alloc(32, 7).toString('base64');
const CONFIG = {
  PUBLIC_URL: 'https://app.example.com',
  LOG_SIGNING_KEY: SIGNING_KEY,
  LOG_SEAL_SECONDS: 10,
  CUSTODY_ADDRESSES: [], // without addresses the chain is not read
};

const ENTITIES = [
  LiabilityChunk,
  LiabilityDay,
  LiabilityNodes,
  LiabilityTree,
  ProofCheckpoint,
  ProofKey,
  ProofLeaf,
  ProofLog,
];

export async function openProofServices(url, now = new Date()) {
  const options = { type: 'postgres', url, extra: PREPARING, entities: ENTITIES };
  const dataSource = await openDatabase(options, () => undefined, { migrate: false });
  const clock = new FrozenClock(now);
  const unitOfWork = new UnitOfWork(dataSource);
  const keys = new LogKeysService(CONFIG);
  const log = new LogRepository(dataSource);
  const opening = new LogOpeningService(CONFIG, clock, unitOfWork, keys, log);
  const entries = new CommittedEntriesRepository(dataSource);
  const appending = new LeafAppendingService(clock, keys, log);
  const amounts = new PastAmountsRepository();
  const days = new DayClosingRepository(dataSource);
  const proofs = new LogProofsService(keys, opening, log);
  const sealing = new SealingService(unitOfWork, opening, appending, entries, log);
  return {
    dataSource,
    clock,
    opening,
    proofs,
    leaves: new LogLeavesService(CONFIG, entries, log),
    sealing,
    closing: new DayClosingService(
      clock,
      unitOfWork,
      new AssetLinesService(CONFIG, undefined),
      new TreeBuildingService(new Snapshots(dataSource), unitOfWork, amounts, days),
      appending,
      sealing,
      new DayCheckpointsService(CONFIG, clock, new DomainEvents(), log),
      days,
    ),
    liabilityProofs: new LiabilityProofsService(new LiabilityTreesRepository(dataSource), proofs),
  };
}
