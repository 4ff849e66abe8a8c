// The services of the transparency log and of the proofs of liabilities on a database, without the Nest application.
import { FrozenClock } from '../../dist/common/clock.js';
import { openDatabase } from '../../dist/database/data-source.js';
import { DomainEvents } from '../../dist/events/domain-events.js';
import { PREPARING } from '../../dist/database/prepared.js';
import { Snapshots } from '../../dist/database/snapshots.js';
import { UnitOfWork } from '../../dist/database/unit-of-work.js';
import { DayClosingService } from '../../dist/modules/assurance/liabilities/day-closing.service.js';
import {
  LiabilityChunk,
  LiabilityDay,
  LiabilityNodes,
  LiabilityTree,
} from '../../dist/modules/assurance/liabilities/entities/liability-day.entity.js';
import { LiabilitiesRepository } from '../../dist/modules/assurance/liabilities/liabilities.repository.js';
import { LiabilityProofsService } from '../../dist/modules/assurance/liabilities/liability-proofs.service.js';
import { PastAmountsRepository } from '../../dist/modules/assurance/liabilities/past-amounts.repository.js';
import { TreeBuildingService } from '../../dist/modules/assurance/liabilities/tree-building.service.js';
import { CommittedEntriesRepository } from '../../dist/modules/assurance/proofs/committed-entries.repository.js';
import {
  ProofCheckpoint,
  ProofKey,
  ProofLeaf,
  ProofLog,
  ProofTile,
} from '../../dist/modules/assurance/proofs/entities/log.entity.js';
import { LogKeysService } from '../../dist/modules/assurance/proofs/log-keys.service.js';
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
  ProofTile,
];

export async function openProofServices(url, now = new Date()) {
  const options = { type: 'postgres', url, extra: PREPARING, entities: ENTITIES };
  const dataSource = await openDatabase(options, () => undefined, { migrate: false });
  const clock = new FrozenClock(now);
  const unitOfWork = new UnitOfWork(dataSource);
  const log = new LogRepository(dataSource);
  const keys = new LogKeysService(CONFIG, clock, unitOfWork, log);
  const entries = new CommittedEntriesRepository(dataSource);
  const amounts = new PastAmountsRepository();
  const days = new LiabilitiesRepository(dataSource);
  const proofs = new LogProofsService(CONFIG, keys, entries, log);
  const sealing = new SealingService(clock, unitOfWork, new DomainEvents(), keys, entries, log);
  return {
    dataSource,
    clock,
    keys,
    proofs,
    sealing,
    closing: new DayClosingService(
      CONFIG,
      clock,
      unitOfWork,
      undefined, // the chain
      new TreeBuildingService(new Snapshots(dataSource), unitOfWork, amounts, days),
      sealing,
      days,
    ),
    liabilityProofs: new LiabilityProofsService(days, proofs),
  };
}
