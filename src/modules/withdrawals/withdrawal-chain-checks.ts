import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { Repeated } from '../../http/lifecycle/repeated.js';
import { Clock } from '../../kernel/clock.js';
import { judge, type Sighting } from '../blockchain/chain-check.js';
import { ChainSightings, type Unverified } from '../blockchain/chain-sightings.js';
import { lockTxHash } from '../blockchain/tx-hashes.js';
import { WithdrawalRecords } from './withdrawal.records.js';

const EVERY_MS = 60_000;
const BATCH = 100;

/** Compares the hashes of completed withdrawals with the chain, again and again until it has spoken (D41). */
@Injectable()
export class WithdrawalChainChecks implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly rechecks = new Repeated(
    () => this.recheck(),
    new Logger('WithdrawalChainChecks'),
    'chain checks wait',
  );

  constructor(
    private readonly sightings: ChainSightings,
    private readonly uow: UnitOfWork,
    private readonly records: WithdrawalRecords,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.rechecks.begin(EVERY_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await this.rechecks.end();
  }

  /** One pass over what is unverified, the longest unlooked-at first. */
  async recheck(): Promise<void> {
    const waiting = await this.dataSource.query<Unverified[]>(
      `select id, tx_hash as "txHash" from withdrawal where chain_check = 'unverified'
        order by chain_checked_at, id limit ${BATCH}`,
    );
    await this.sightings.lookAgain(
      waiting,
      (id, sighting) => this.settle(id, sighting),
      () => this.rechecks.isEnding,
    );
  }

  private settle(id: string, sighting: Sighting): Promise<void> {
    return this.uow.run(async (tx) => {
      const withdrawal = await this.records.lock(tx, id);
      const { toAddress, amount, chainCheck, txHash, completedAt } = withdrawal;
      if (chainCheck !== 'unverified' || txHash === null || completedAt === null) return; // another replica was first
      await lockTxHash(tx, txHash);
      const paidBefore = await this.records.paidBy(tx, txHash, withdrawal);
      const at = this.clock.now();
      const waitedMs = at.getTime() - completedAt.getTime();
      await this.records.noteChainCheck(
        tx,
        id,
        judge(sighting, { to: [toAddress], amount, paidBefore, waitedMs }),
        at,
      );
    });
  }
}
