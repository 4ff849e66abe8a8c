import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { Clock } from '../../kernel/clock.js';
import { judge, type Sighting } from '../blockchain/chain-check.js';
import { ChainSightings, type Unverified } from '../blockchain/chain-sightings.js';
import { lockTxHash } from '../blockchain/tx-hash-lock.js';
import { WithdrawalRecords } from './withdrawal.records.js';

const EVERY_MS = 60_000;
const BATCH = 100;

/** Compares the hashes of completed withdrawals with the chain, again and again until it has spoken (D41). */
@Injectable()
export class WithdrawalChainChecks implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('WithdrawalChainChecks');
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private ending = false;

  constructor(
    private readonly sightings: ChainSightings,
    private readonly uow: UnitOfWork,
    private readonly records: WithdrawalRecords,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.recheckQuietly(), EVERY_MS).unref();
  }

  async onModuleDestroy(): Promise<void> {
    this.ending = true;
    clearInterval(this.timer);
    await this.running?.catch(() => undefined);
  }

  /** One pass over what is unverified, the longest unlooked-at first. Passes do not overlap in a process. */
  recheck(): Promise<void> {
    this.running ??= this.pass().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async recheckQuietly(): Promise<void> {
    await this.recheck().catch((error: unknown) => this.log.warn({ msg: 'chain checks wait', err: error }));
  }

  private async pass(): Promise<void> {
    const waiting = await this.dataSource.query<Unverified[]>(
      `select id, tx_hash as "txHash" from withdrawal where chain_check = 'unverified'
        order by chain_checked_at, id limit ${BATCH}`,
    );
    await this.sightings.lookAgain(
      waiting,
      (id, sighting) => this.settle(id, sighting),
      () => this.ending,
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
