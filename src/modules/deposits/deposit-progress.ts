import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import type { Tx } from '../../database/unit-of-work.js';
import { ETH_SCALE, MICRO_SCALE, Money } from '../../common/money.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { depositCompleted, depositHeld, heldDepositReleased } from '../ledger/postings.js';
import { DepositRecords } from './deposit-records.js';
import { Deposit, type Failure, type HoldReason } from './entities/deposit.entity.js';
import { depositStates, judge, type Sighting } from './domain/deposit.state-machine.js';
import { FAILURE_REASONS } from './deposit.words.js';
import { HandBookings } from './hand-bookings.js';
import type { Word } from './observation.js';

const MOST_RELEASED_TOGETHER = 500;

/** What was learnt beside the sighting. */
export type Learnt = Partial<
  Pick<
    Deposit,
    | 'amount'
    | 'fromAddress'
    | 'toAddress'
    | 'logIndex'
    | 'blockNumber'
    | 'gasUsed'
    | 'gasPrice'
    | 'seenAt'
    | 'onlyClaimed'
  >
>;

/** Moves a deposit on by what is said of it, under the lock of its address; credits it, once, when it completes. */
@Injectable()
export class DepositProgress {
  constructor(
    private readonly config: AppConfig,
    private readonly records: DepositRecords,
    private readonly handBookings: HandBookings,
    private readonly ledger: LedgerService,
  ) {}

  async follow(
    tx: Tx,
    row: Deposit,
    sighting: Sighting,
    learnt: Learnt,
    at: Date,
    failure?: FailureWord,
  ): Promise<void> {
    const before = { ...row };
    const judged = judge({ ...row, held: row.holdReason !== null }, sighting, row.requiredConfirmations);
    if (judged.verb) Object.assign(row, learnt); // what is settled keeps the figures that it was settled with
    Object.assign(row, { confirmations: judged.confirmations, succeeded: judged.succeeded });
    if (before.onlyClaimed && !row.onlyClaimed) await this.records.tell(tx, 'deposit.seen', row, at);
    if (judged.verb === 'complete') return this.arrive(tx, row, at);
    if (judged.verb === 'fail') return this.fail(tx, row, failure ?? { failure: 'refused' }, at);
    if (judged.verb) row.status = depositStates.next(row.status, judged.verb);
    const hasMoved =
      row.status !== before.status ||
      row.confirmations !== before.confirmations ||
      row.blockNumber !== before.blockNumber;
    if (hasMoved) row.updatedAt = at;
    await this.records.save(tx, row);
    if (hasMoved && judged.verb) await this.records.tell(tx, 'deposit.confirming', row, at);
  }

  /** The provider tells of a transfer that its user had claimed: what the user said of it no longer counts. */
  async confirmClaim(
    tx: Tx,
    row: Deposit,
    { amount, senderAddress }: Pick<Word, 'amount' | 'senderAddress'>,
    at: Date,
  ): Promise<void> {
    const fromAddress = senderAddress ?? row.fromAddress;
    Object.assign(row, { amount, fromAddress, onlyClaimed: false, seenAt: at, updatedAt: at });
    await this.records.save(tx, row);
    await this.records.tell(tx, 'deposit.seen', row, at);
  }

  async fail(tx: Tx, row: Deposit, { failure, reason }: FailureWord, at: Date): Promise<void> {
    row.status = depositStates.next(row.status, 'fail');
    row.failure = failure;
    row.reason = reason ?? FAILURE_REASONS[failure];
    row.updatedAt = at;
    await this.records.save(tx, row);
    await this.records.tell(tx, 'deposit.failed', row, at);
  }

  /**
   * Arrived for good. What admins have booked by hand is held; the rest is credited alone or with what waits for the
   * minimum at the same address, or it waits too.
   */
  private async arrive(tx: Tx, row: Deposit, at: Date): Promise<void> {
    // The booking has posted all that there is to post.
    if (await this.handBookings.cover(tx, row)) return this.hold(tx, row, 'BOOKED_BY_HAND', at);
    const held = row.currency === 'ETH' ? [] : await this.heldAt(tx, row);
    const together = Money.sum([row, ...held].map(({ amount }) => amount.roundDown(MICRO_SCALE)));
    if (row.currency !== 'ETH' && together.isLessThan(this.config.MINIMUM_DEPOSIT))
      return this.keepBelowMinimum(tx, row, at);
    await this.ledger.post(
      tx,
      depositCompleted(this.creditOf(row, at)),
      ...held.map((other) => heldDepositReleased(this.creditOf(other, at))),
    );
    for (const arrived of [row, ...held]) await this.complete(tx, arrived, at);
  }

  /** The largest first: a thousand grains of dust must not keep the others out. */
  private heldAt(tx: Tx, { network, toAddress }: Deposit): Promise<Deposit[]> {
    return tx.find(Deposit, {
      where: { network, toAddress, holdReason: 'BELOW_MINIMUM' },
      order: { amount: 'desc', id: 'asc' },
      take: MOST_RELEASED_TOGETHER,
    });
  }

  private async keepBelowMinimum(tx: Tx, row: Deposit, at: Date): Promise<void> {
    await this.ledger.post(tx, depositHeld(this.creditOf(row, at)));
    await this.hold(tx, row, 'BELOW_MINIMUM', at);
  }

  private async hold(tx: Tx, row: Deposit, holdReason: HoldReason, at: Date): Promise<void> {
    row.status = depositStates.next(row.status, 'confirm');
    row.holdReason = holdReason;
    row.updatedAt = at;
    await this.records.save(tx, row);
    const name = holdReason === 'BOOKED_BY_HAND' ? 'deposit.covered' : 'deposit.held';
    await this.records.tell(tx, name, row, at);
  }

  private async complete(tx: Tx, row: Deposit, at: Date): Promise<void> {
    row.status = depositStates.next(row.status, 'complete');
    row.credited = this.credited(row);
    row.holdReason = null;
    row.confirmedAt = at;
    row.updatedAt = at;
    await this.records.save(tx, row);
    await this.records.tell(tx, 'deposit.completed', row, at);
  }

  private creditOf(row: Deposit, at: Date) {
    const { id: depositId, userId, network, currency: asset, amount: received } = row;
    return { depositId, userId, network, asset, received, credited: this.credited(row), at };
  }

  /** USDT at the configured rate, rounded down; ETH stays ETH. */
  private credited({ currency, amount }: Deposit): Money {
    if (currency === 'ETH') return amount.roundDown(ETH_SCALE);
    const received = amount.roundDown(MICRO_SCALE);
    return currency === 'USDT' ? received.times(this.config.USDT_USDC_RATE).roundDown(MICRO_SCALE) : received;
  }
}

/** Why a deposit failed, with a sentence of its own where there is one. */
export interface FailureWord {
  readonly failure: Failure;
  readonly reason?: string;
}
