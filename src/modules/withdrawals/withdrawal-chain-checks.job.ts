import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppConfig } from '../../config/app-config.js';
import { DomainEvents } from '../../database/domain-events.js';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import { Job } from '../../jobs/job.decorator.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import {
  verifyPayment,
  type ChainCheckResult,
  type TransactionLookup,
} from '../blockchain/domain/chain-check.js';
import { normalizeHash } from '../blockchain/domain/transaction-hash.js';
import { TransactionLookupService, type UnverifiedHash } from '../blockchain/transaction-lookup.service.js';
import { findTxHashHolder, lockTxHash } from '../blockchain/transaction-hash.repository.js';
import { tellOnChain } from './withdrawal.told.js';
import type { Withdrawal } from './entities/withdrawal.entity.js';
import { WithdrawalRecords, type Changes } from './withdrawals.repository.js';

const BATCH = 100;

/** How an operator says that a withdrawal was paid. */
export interface Payment {
  readonly txHash: string;
  readonly note?: string;
  readonly allowSharedTxHash?: boolean;
}

/** Compares the hashes of completed withdrawals with the chain, again and again until it has spoken. */
@Injectable()
export class WithdrawalChainChecksJob {
  constructor(
    private readonly lookups: TransactionLookupService,
    private readonly unitOfWork: UnitOfWork,
    private readonly records: WithdrawalRecords,
    private readonly domainEvents: DomainEvents,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {}

  /** The payment with its hash in its one form, and what the chain says of it. Outside of any transaction. */
  async look(payment: Payment): Promise<Payment & { lookup: TransactionLookup }> {
    const txHash = normalizeHash(payment.txHash);
    return { ...payment, txHash, lookup: await this.lookups.lookUpTransaction(txHash) };
  }

  /** What completing a withdrawal with this payment stores. Throws DUPLICATE_TX_HASH. */
  async entered(
    tx: Tx,
    withdrawal: Withdrawal,
    { txHash, note, allowSharedTxHash, lookup }: Payment & { lookup: TransactionLookup },
    at: Date,
  ): Promise<Changes> {
    const holder = await findTxHashHolder(tx, txHash);
    if (holder && !allowSharedTxHash) fail('DUPLICATE_TX_HASH', { [`${holder.type}Id`]: holder.id });
    const paidBefore = await this.records.paidBy(tx, txHash, withdrawal);
    const { chainCheck, reason } = this.verifyTransfer(lookup, withdrawal, paidBefore, 0);
    return {
      txHash,
      txHashShared: holder !== undefined,
      completedAt: at,
      chainCheck,
      chainCheckReason: reason,
      chainCheckedAt: at,
      note: note ?? null,
    };
  }

  /** One pass over what is unverified, the longest unlooked-at first. */
  @Job({
    name: 'withdrawal-chain-checks',
    purpose: 'Compares the hashes of completed withdrawals with the chain, until it has settled them',
    everySeconds: 60,
  })
  async recheck(stopping: AbortSignal): Promise<void> {
    const waiting = await this.dataSource.query<UnverifiedHash[]>(
      `select id, tx_hash as "txHash" from withdrawal where chain_check = 'unverified'
        order by chain_checked_at, id limit ${BATCH}`,
    );
    await this.lookups.recheckUnverified(waiting, (id, lookup) => this.settle(id, lookup), stopping);
  }

  private settle(id: string, lookup: TransactionLookup): Promise<void> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const withdrawal = await this.records.lock(tx, id);
      const { chainCheck, txHash, completedAt } = withdrawal;
      if (chainCheck !== 'unverified' || txHash === null || completedAt === null) return; // another replica was first
      await lockTxHash(tx, txHash);
      const paidBefore = await this.records.paidBy(tx, txHash, withdrawal);
      const at = this.clock.now();
      const waitedMs = at.getTime() - completedAt.getTime();
      const judged = this.verifyTransfer(lookup, withdrawal, paidBefore, waitedMs);
      await this.records.noteChainCheck(tx, id, judged, at);
      await tellOnChain(
        this.domainEvents,
        tx,
        { ...withdrawal, chainCheck: judged.chainCheck, chainCheckedAt: at },
        lookup,
      );
    });
  }

  /** A payment is younger than the request for it and, where the addresses of custody are known, comes from one of them. */
  verifyTransfer(
    lookup: TransactionLookup,
    { toAddress, amount, recordedAt }: Withdrawal,
    paidBefore: number,
    waitedMs: number,
  ): ChainCheckResult {
    const { CUSTODY_ADDRESSES: senders } = this.config;
    return verifyPayment(lookup, {
      to: [toAddress],
      amount,
      notBefore: recordedAt,
      senders,
      paidBefore,
      waitedMs,
    });
  }
}
