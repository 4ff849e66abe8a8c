import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { DomainEvents } from '../../../events/domain-events.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { ETH_SCALE, MICRO_SCALE, Money } from '../../../common/money.js';
import { AlertsService } from '../../core/alerts/alerts.service.js';
import { minedOf } from '../../providers/chain/chain.client.js';
import { LedgerService } from '../../core/ledger/ledger.service.js';
import {
  depositCompleted,
  depositHeld,
  heldDepositReleased,
  heldDepositReversed,
  withoutDust,
} from '../../core/ledger/domain/postings.js';
import type { DepositEvent } from './deposit.events.js';
import { DepositsRepository, type NewDeposit } from './deposits.repository.js';
import {
  explainDeposit,
  DEPOSIT_REASONS,
  heldAmountAlert,
  largeDepositAlert,
} from './domain/deposit-texts.js';
import { decideDeposit, depositStates, type DepositEvidence } from './domain/deposit.state-machine.js';
import { isReadOnChain, minimumDeposit, requiredConfirmations } from './domain/networks.js';
import type { ProviderReport } from './domain/deposit-reports.js';
import type { Deposit, DepositFailure, HoldReason } from './entities/deposit.entity.js';

/** Columns that a report may change besides those that `decideDeposit` decides. */
export type DepositUpdate = Partial<
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

/** Why a deposit failed; `reason` replaces the usual sentence for the user. */
export interface FailureDetails {
  readonly failure: DepositFailure;
  readonly reason?: string;
}

/**
 * Records deposits, applies reports to them, credits each deposit once, and emits the events. The caller of a method has
 * locked the deposit's address (`lockAddressesOfTransaction`).
 */
@Injectable()
export class DepositLifecycleService {
  constructor(
    private readonly config: AppConfig,
    private readonly deposits: DepositsRepository,
    private readonly ledger: LedgerService,
    private readonly alerts: AlertsService,
    private readonly domainEvents: DomainEvents,
  ) {}

  async recordDeposit(
    tx: Tx,
    deposit: Omit<NewDeposit, 'requiredConfirmations'>,
    at: Date,
  ): Promise<Deposit> {
    const required = requiredConfirmations(this.config, deposit.network);
    const row = await this.deposits.insertDeposit(tx, { ...deposit, requiredConfirmations: required }, at);
    await this.emit(tx, row.onlyClaimed ? 'deposit.claimed' : 'deposit.seen', row, at);
    return row;
  }

  /**
   * Applies `evidence`, a report of the chain or the provider, and stores the row. `update` is applied only if the decision about
   * the evidence has a verb (`DepositDecision`), `failure` only if the evidence makes the deposit fail.
   */
  async applyEvidence(
    tx: Tx,
    row: Deposit,
    evidence: DepositEvidence,
    update: DepositUpdate,
    at: Date,
    failure: FailureDetails = { failure: 'refused' },
  ): Promise<void> {
    const before = { ...row };
    const { verb, confirmations, succeeded } = decideDeposit(row, evidence, row.requiredConfirmations);
    if (verb) Object.assign(row, update);
    Object.assign(row, { confirmations, succeeded });
    if (before.onlyClaimed && !row.onlyClaimed) await this.emit(tx, 'deposit.seen', row, at);
    if (verb === 'complete') return this.creditOrHold(tx, row, at);
    if (verb === 'fail') return this.failDeposit(tx, row, failure, at);
    if (verb) row.status = depositStates.next(row.status, verb);
    const isChanged =
      row.status !== before.status ||
      row.confirmations !== before.confirmations ||
      row.blockNumber !== before.blockNumber;
    if (isChanged) row.updatedAt = at;
    await this.deposits.updateDeposit(tx, row);
    if (isChanged && verb) await this.emit(tx, 'deposit.confirming', row, at);
    else if (verb) this.deposits.markChanged(tx, row); // `update` may have changed summed columns, and no event says so
  }

  /** Makes a claim a deposit that the provider has reported, with the amount and the sender of the report. */
  async markClaimSeen(
    tx: Tx,
    row: Deposit,
    { amount, senderAddress }: Pick<ProviderReport, 'amount' | 'senderAddress'>,
    at: Date,
  ): Promise<void> {
    const fromAddress = senderAddress ?? row.fromAddress;
    Object.assign(row, { amount, fromAddress, onlyClaimed: false, seenAt: at, updatedAt: at });
    await this.deposits.updateDeposit(tx, row);
    await this.emit(tx, 'deposit.seen', row, at);
  }

  /**
   * Fails an open deposit or one that is held below the minimum, whose posting it reverses. A held deposit whose amount differs
   * from the ledger stays as it is.
   */
  async failDeposit(tx: Tx, row: Deposit, { failure, reason }: FailureDetails, at: Date): Promise<void> {
    if (row.holdReason !== null) {
      if ((await this.dropDiffering(tx, [row])).length === 0) return;
      await this.ledger.post(tx, heldDepositReversed(this.postingInputOf(row, at)));
    }
    row.status = depositStates.next(row.status, 'fail');
    row.holdReason = null;
    row.failure = failure;
    row.reason = reason ?? DEPOSIT_REASONS[failure].en;
    row.updatedAt = at;
    await this.deposits.updateDeposit(tx, row);
    await this.emit(tx, 'deposit.failed', row, at);
  }

  /** Credits a confirmed deposit together with the held deposits of its address, or holds it. */
  private async creditOrHold(tx: Tx, row: Deposit, at: Date): Promise<void> {
    // The booking by hand has posted the transfer already; admins book a difference in the amount by hand (DEC-22).
    if (await this.deposits.isBookedByHand(tx, row)) return this.holdDeposit(tx, row, 'BOOKED_BY_HAND', at);
    // The minimum applies to USDC and USDT together and not to ETH (DEC-22), so ETH releases no held deposits.
    const { held, sum } =
      row.currency === 'ETH' ? { held: [], sum: Money.ZERO } : await this.findReleasable(tx, row);
    const receivedTogether = row.amount.roundDown(MICRO_SCALE).plus(sum);
    if (receivedTogether.isLessThan(minimumDeposit(this.config, row.currency))) {
      await this.ledger.post(tx, depositHeld(this.postingInputOf(row, at)));
      return this.holdDeposit(tx, row, 'BELOW_MINIMUM', at);
    }
    await this.ledger.post(tx, depositCompleted(this.postingInputOf(row, at)));
    await this.completeDeposit(tx, row, at);
    await this.releaseDeposits(tx, held, at);
  }

  /** Credits the deposits that are held at the address of `row`, if they reach the minimum together. */
  async releaseHeld(tx: Tx, row: Deposit, at: Date): Promise<void> {
    const { held, sum } = await this.findReleasable(tx, row);
    if (!sum.isLessThan(minimumDeposit(this.config, row.currency))) await this.releaseDeposits(tx, held, at);
  }

  /**
   * The largest deposits that are held at the address of `row`, and the sum of all that are held there (`findHeldDeposits`). Both are
   * without those of the largest whose amount differs from the ledger.
   */
  private async findReleasable(tx: Tx, row: Deposit): Promise<{ held: readonly Deposit[]; sum: Money }> {
    const found = await this.deposits.findHeldDeposits(tx, row);
    const held = await this.dropDiffering(tx, found.held);
    const differing = found.held.filter((deposit) => !held.includes(deposit));
    return { held, sum: found.sum.minus(Money.sum(differing.map(withoutDustOf))) };
  }

  /** Leaves out the held deposits whose amount is not what suspense holds for them, and raises an alert for each. */
  private async dropDiffering(tx: Tx, held: readonly Deposit[]): Promise<readonly Deposit[]> {
    if (held.length === 0) return held;
    const ids = held.map(({ id }) => id);
    const amounts = await this.ledger.sumSuspense(tx, ids);
    const amountOf = ({ id }: Deposit) => amounts.get(id) ?? Money.ZERO;
    const differing = held.filter((row) => !withoutDustOf(row).equals(amountOf(row)));
    for (const row of differing) await this.alerts.raise(heldAmountAlert(row, amountOf(row)), tx);
    return held.filter((row) => !differing.includes(row));
  }

  private async releaseDeposits(tx: Tx, held: readonly Deposit[], at: Date): Promise<void> {
    if (held.length === 0) return;
    await this.ledger.post(
      tx,
      ...held.map((deposit) => heldDepositReleased(this.postingInputOf(deposit, at))),
    );
    for (const deposit of held) await this.completeDeposit(tx, deposit, at);
  }

  private async holdDeposit(tx: Tx, row: Deposit, holdReason: HoldReason, at: Date): Promise<void> {
    row.status = depositStates.next(row.status, 'confirm');
    row.holdReason = holdReason;
    row.updatedAt = at;
    await this.deposits.updateDeposit(tx, row);
    const name = holdReason === 'BOOKED_BY_HAND' ? 'deposit.covered' : 'deposit.held';
    await this.emit(tx, name, row, at);
  }

  private async completeDeposit(tx: Tx, row: Deposit, at: Date): Promise<void> {
    row.status = depositStates.next(row.status, 'complete');
    row.credited = this.creditedAmount(row);
    row.holdReason = null;
    row.confirmedAt = at;
    row.updatedAt = at;
    await this.deposits.updateDeposit(tx, row);
    await this.emit(tx, 'deposit.completed', row, at);
    await this.reportLargeCredit(tx, row, row.credited);
  }

  /** Raises an alert from LARGE_DEPOSIT_ALERT on, unless the service has read the transfer on chain. */
  private async reportLargeCredit(tx: Tx, row: Deposit, credited: Money): Promise<void> {
    const { LARGE_DEPOSIT_ALERT: threshold } = this.config;
    if (threshold === 'off' || row.currency === 'ETH' || isReadOnChain(row.currency, row.network)) return;
    if (!credited.isLessThan(threshold)) await this.alerts.raise(largeDepositAlert(row, credited), tx);
  }

  /** The input of the ledger's postings about the deposit. */
  private postingInputOf(row: Deposit, at: Date) {
    const { id: depositId, userId, network, currency: asset, amount: received } = row;
    return { depositId, userId, network, asset, received, credited: this.creditedAmount(row), at };
  }

  /** USDT is credited as USDC at the configured rate, rounded down; ETH is credited as ETH. */
  private creditedAmount({ currency, amount }: Deposit): Money {
    if (currency === 'ETH') return amount.roundDown(ETH_SCALE);
    const received = amount.roundDown(MICRO_SCALE);
    return currency === 'USDT' ? received.times(this.config.USDT_USDC_RATE).roundDown(MICRO_SCALE) : received;
  }

  private emit(tx: Tx, name: DepositEvent['name'], row: Deposit, at: Date): Promise<void> {
    const hasReason = name === 'deposit.held' || name === 'deposit.covered' || name === 'deposit.failed';
    const { id: depositId, userId, currency, network, amount, credited, txHash } = row;
    const { fromAddress, toAddress, onlyClaimed } = row;
    return this.domainEvents.emit<DepositEvent>(tx, {
      name,
      userId,
      at,
      depositId,
      currency,
      network,
      amount,
      credited,
      txHash,
      fromAddress,
      toAddress,
      onlyClaimed,
      ...minedOf(row),
      reason: hasReason ? explainDeposit(row, this.config.MINIMUM_DEPOSIT).reason : null,
      minimum: name === 'deposit.held' ? this.config.MINIMUM_DEPOSIT : null,
      failure: row.failure,
    });
  }
}

function withoutDustOf({ currency: asset, amount: received }: Deposit): Money {
  return withoutDust({ asset, received });
}
