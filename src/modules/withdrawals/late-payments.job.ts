import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import { Job } from '../../jobs/job.decorator.js';
import { Clock } from '../../common/clock.js';
import { Money } from '../../common/money.js';
import { AlertsService } from '../alerts/alerts.service.js';
import { normalizeHash } from '../blockchain/domain/transaction-hash.js';
import { TransactionLookupService } from '../blockchain/transaction-lookup.service.js';
import { ChainClient } from '../blockchain/chain.client.js';
import { lockTxHash } from '../blockchain/transaction-hash.repository.js';
import { isEnded, paidAfterFailureAlert } from './domain/late-payments.js';
import { WithdrawalChainChecksJob } from './withdrawal-chain-checks.job.js';
import type { Withdrawal } from './entities/withdrawal.entity.js';
import { WithdrawalRecords } from './withdrawals.repository.js';

/** How long after its amount was released, or after it was rejected or cancelled, a withdrawal is looked for. */
const LOOK_FOR_MS = 7 * 86_400_000;
const MOST_FAILED = 200;
const MOST_REJECTED = 1_000;
/** Users cancel as many withdrawals as they like: those of one user leave room for those of the others. */
const MOST_REJECTED_OF_USER = 20;
const ADDRESSES_AT_ONCE = 200;
/** Of one question to the node, and of one run: 33 hours of twelve seconds each. */
const BLOCKS_AT_ONCE = 1_000;
const MOST_BLOCKS = 10_000;
/** A reorganisation may bring a transfer into a block that was read before. */
const READ_AGAIN = 50;

/** A withdrawal that should not be paid any more. */
interface Ended {
  readonly id: string;
  readonly toAddress: string;
  readonly amount: string;
}

/** A transfer that would pay an ended withdrawal. */
interface Candidate {
  readonly id: string;
  readonly hash: string;
}

const ENDED = `
  (select id, to_address as "toAddress", amount from withdrawal
    where status = 'failed' and (released_at is null or released_at > $1)
    order by created_at desc, id desc limit ${MOST_FAILED})
  union all
  (select id, to_address, amount
     from (select withdrawal.id, to_address, amount, event.at,
                  row_number() over (partition by user_id order by event.at desc, event.id desc) as place
             from withdrawal_event as event join withdrawal on withdrawal.id = event.withdrawal_id
            where event.status = 'rejected' and event.at > $1) as rejected
    where place <= ${MOST_REJECTED_OF_USER} order by at desc, id limit ${MOST_REJECTED})`;

/** A withdrawal to the same address that the transfer may pay: its hash is not entered or not compared with the chain yet. */
const MAY_PAY_ANOTHER = `
  select from withdrawal
   where id <> $1 and lower(to_address) = lower($2) and amount = $3
     and (status = 'processing' or (tx_hash = $4 and chain_check = 'unverified')) limit 1`;

@Injectable()
export class LatePaymentWatch {
  /** Withdrawals whose past was read by this process, and the newest block that was. */
  private known: ReadonlySet<string> = new Set();
  private readUntil = -1;
  /** Transfers that may pay another withdrawal: each run judges them again. */
  private undecided: Candidate[] = [];

  constructor(
    private readonly dataSource: DataSource,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly chain: ChainClient,
    private readonly sightings: TransactionLookupService,
    private readonly records: WithdrawalRecords,
    private readonly chainChecks: WithdrawalChainChecksJob,
    private readonly alerts: AlertsService,
  ) {}

  /** Throws BLOCKCHAIN_ERROR. */
  @Job({
    name: 'late-payments',
    purpose:
      'Looks on chain for payments of failed, rejected and cancelled withdrawals, and raises an alert for each',
    everySeconds: 60,
    exclusive: true,
  })
  async look(stopping: AbortSignal): Promise<void> {
    const ended = await this.ended();
    const candidates = this.undecided.filter(({ id }) => ended.some((withdrawal) => withdrawal.id === id));
    if (ended.length > 0) {
      const newest = await this.chain.newestBlock();
      const oldest = Math.max(0, newest - MOST_BLOCKS + 1);
      const known = ended.filter(({ id }) => this.known.has(id));
      const unknown = ended.filter(({ id }) => !this.known.has(id));
      const unread = Math.max(oldest, this.readUntil - READ_AGAIN);
      candidates.push(
        ...(await this.transfersTo(unknown, { first: oldest, last: newest }, stopping)),
        ...(await this.transfersTo(known, { first: unread, last: newest }, stopping)),
      );
      this.readUntil = newest;
    }
    this.known = new Set(ended.map(({ id }) => id));
    const distinct = new Map(candidates.map((candidate) => [`${candidate.id} ${candidate.hash}`, candidate]));
    this.undecided = [...distinct.values()];
    for (const candidate of distinct.values()) {
      if (stopping.aborted) return;
      if ((await this.judge(candidate, false)) === 'undecided') continue;
      this.undecided = this.undecided.filter((other) => other !== candidate);
    }
  }

  /** Raises the alert if this transaction, which the provider names, pays the ended withdrawal; true if it does. */
  async lookAt(id: string, hash: string): Promise<boolean> {
    return (await this.judge({ id, hash }, true)) === 'paid';
  }

  /**
   * `undecided` while the chain does not show the transaction, or while the transfer may pay another withdrawal, unless the
   * provider names this one.
   */
  private async judge({ id, hash }: Candidate, isNamed: boolean): Promise<'paid' | 'unpaid' | 'undecided'> {
    const txHash = normalizeHash(hash);
    const sighting = await this.sightings.lookUpTransaction(txHash);
    return this.unitOfWork.runInTransaction(async (tx) => {
      const withdrawal = await this.records.lockIfThere(tx, id);
      if (!withdrawal || !isEnded(withdrawal)) return 'unpaid';
      await lockTxHash(tx, txHash);
      const paidBefore = await this.records.paidBy(tx, txHash, withdrawal);
      const { chainCheck } = this.chainChecks.verifyTransfer(sighting, withdrawal, paidBefore, 0);
      if (chainCheck === 'unverified') return 'undecided';
      if (chainCheck === 'mismatch') return 'unpaid';
      if (!isNamed && (await mayPayAnother(tx, withdrawal, txHash))) return 'undecided';
      await this.alerts.raise(paidAfterFailureAlert(withdrawal, txHash), tx);
      return 'paid';
    });
  }

  /** Transfers of exactly the amount of one of these withdrawals to its address. Throws BLOCKCHAIN_ERROR. */
  private async transfersTo(
    withdrawals: readonly Ended[],
    { first, last }: { readonly first: number; readonly last: number },
    stopping: AbortSignal,
  ): Promise<Candidate[]> {
    const found: Candidate[] = [];
    const addresses = [...new Set(withdrawals.map(({ toAddress }) => toAddress.toLowerCase()))];
    for (let start = 0; start < addresses.length; start += ADDRESSES_AT_ONCE) {
      const some = addresses.slice(start, start + ADDRESSES_AT_ONCE);
      for (let from = first; from <= last && !stopping.aborted; from += BLOCKS_AT_ONCE) {
        const until = Math.min(last, from + BLOCKS_AT_ONCE - 1);
        for (const { hash, to, amount } of await this.chain.transfersTo(some, from, until))
          for (const { id, toAddress, amount: due } of withdrawals)
            if (toAddress.toLowerCase() === to.toLowerCase() && amount.equals(Money.of(due)))
              found.push({ id, hash });
      }
    }
    return found;
  }

  /** Released, rejected and cancelled ones, too, for a week: their amount would be paid twice. */
  private ended(): Promise<Ended[]> {
    return this.dataSource.query<Ended[]>(ENDED, [new Date(this.clock.now().getTime() - LOOK_FOR_MS)]);
  }
}

async function mayPayAnother(
  tx: Tx,
  { id, toAddress, amount }: Withdrawal,
  txHash: string,
): Promise<boolean> {
  const others = await tx.query<unknown[]>(MAY_PAY_ANOTHER, [id, toAddress, amount.toString(), txHash]);
  return others.length > 0;
}
