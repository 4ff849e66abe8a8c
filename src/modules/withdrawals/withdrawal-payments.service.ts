import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { DomainEvents } from '../../database/domain-events.js';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { AlertsService } from '../alerts/alerts.service.js';
import { judge, normalHash, type ChainVerdict, type Sighting } from '../blockchain/chain-check.js';
import { ChainSightings } from '../blockchain/chain-sightings.js';
import { minedOf } from '../blockchain/mined.js';
import { holderOfTxHash, lockTxHash } from '../blockchain/tx-hashes.js';
import { isUnpayable, latePaymentAlert } from './domain/late-payments.js';
import type { Withdrawal } from './entities/withdrawal.entity.js';
import type { WithdrawalOnChainEvent } from './withdrawal.events.js';
import { WithdrawalPaymentsRepository } from './withdrawal-payments.repository.js';
import { WithdrawalsRepository } from './withdrawals.repository.js';
import type { CheckedPayment, EnteredPayment, TransitionChanges } from './withdrawals.types.js';

/** `undecided`: the chain does not show the transaction yet, or the transfer may pay another withdrawal. */
export type LatePaymentResult = 'paid' | 'unpaid' | 'undecided';

/** Compares withdrawals with transfers on chain. */
@Injectable()
export class WithdrawalPaymentsService {
  constructor(
    private readonly sightings: ChainSightings,
    private readonly unitOfWork: UnitOfWork,
    private readonly withdrawals: WithdrawalsRepository,
    private readonly payments: WithdrawalPaymentsRepository,
    private readonly domainEvents: DomainEvents,
    private readonly alerts: AlertsService,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {}

  /** Normalises the payment's hash and reads it from the chain. Not called inside a transaction. */
  async lookUpPayment(payment: EnteredPayment): Promise<CheckedPayment> {
    const txHash = normalHash(payment.txHash);
    return { ...payment, txHash, sighting: await this.sightings.look(txHash) };
  }

  /** The columns that completing a withdrawal with this payment writes. Throws DUPLICATE_TX_HASH. */
  async completionChanges(
    tx: Tx,
    withdrawal: Withdrawal,
    { txHash, note, allowSharedTxHash, sighting }: CheckedPayment,
    at: Date,
  ): Promise<TransitionChanges> {
    const holder = await holderOfTxHash(tx, txHash);
    if (holder && !allowSharedTxHash) fail('DUPLICATE_TX_HASH', { [`${holder.type}Id`]: holder.id });
    const paidBefore = await this.payments.countMatchedPayments(tx, txHash, withdrawal);
    const { chainCheck, reason } = this.verifyTransfer(sighting, withdrawal, paidBefore, 0);
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

  /** Stores what the chain shows of a completed withdrawal whose check is unverified. */
  recordChainCheck(id: string, sighting: Sighting): Promise<void> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const withdrawal = await this.withdrawals.lockWithdrawal(tx, id);
      const { chainCheck: before, txHash, completedAt } = withdrawal;
      // Another process may have settled the check meanwhile.
      if (before !== 'unverified' || txHash === null || completedAt === null) return;
      await lockTxHash(tx, txHash);
      const paidBefore = await this.payments.countMatchedPayments(tx, txHash, withdrawal);
      const at = this.clock.now();
      const waitedMs = at.getTime() - completedAt.getTime();
      const verdict = this.verifyTransfer(sighting, withdrawal, paidBefore, waitedMs);
      await this.payments.setChainCheck(tx, id, verdict, at);
      const { chainCheck } = verdict;
      await this.emitMatchedOnChain(tx, { ...withdrawal, chainCheck, chainCheckedAt: at }, sighting);
    });
  }

  /** Emits `withdrawal-on-chain.matched` if the chain shows the withdrawal's transfer. */
  async emitMatchedOnChain(
    tx: Tx,
    { id, userId, chainCheck, chainCheckedAt }: Withdrawal,
    sighting: Sighting,
  ): Promise<void> {
    if (chainCheck !== 'matched' || chainCheckedAt === null || typeof sighting === 'string') return;
    await this.domainEvents.emit<WithdrawalOnChainEvent>(tx, {
      name: 'withdrawal-on-chain.matched',
      userId,
      at: chainCheckedAt,
      withdrawalId: id,
      mined: minedOf(sighting),
    });
  }

  /**
   * Raises an alert if the transaction pays a withdrawal that must not be paid any more. With `isNamed` the provider has
   * named the withdrawal, so the transfer is not attributed to another one.
   */
  async checkLatePayment(id: string, hash: string, isNamed: boolean): Promise<LatePaymentResult> {
    const txHash = normalHash(hash);
    const sighting = await this.sightings.look(txHash);
    return this.unitOfWork.runInTransaction(async (tx) => {
      const withdrawal = await this.withdrawals.lockIfExists(tx, id);
      if (!withdrawal || !isUnpayable(withdrawal)) return 'unpaid';
      await lockTxHash(tx, txHash);
      const paidBefore = await this.payments.countMatchedPayments(tx, txHash, withdrawal);
      const { chainCheck } = this.verifyTransfer(sighting, withdrawal, paidBefore, 0);
      if (chainCheck === 'unverified') return 'undecided';
      if (chainCheck === 'mismatch') return 'unpaid';
      if (!isNamed && (await this.payments.mayPayAnother(tx, withdrawal, txHash))) return 'undecided';
      await this.alerts.raise(latePaymentAlert(withdrawal, txHash), tx);
      return 'paid';
    });
  }

  /** A payment is newer than its request and, if the addresses of custody are configured, comes from one of them. */
  private verifyTransfer(
    sighting: Sighting,
    { toAddress, amount, recordedAt }: Withdrawal,
    paidBefore: number,
    waitedMs: number,
  ): ChainVerdict {
    const { CUSTODY_ADDRESSES: senders } = this.config;
    return judge(sighting, { to: [toAddress], amount, notBefore: recordedAt, senders, paidBefore, waitedMs });
  }
}
