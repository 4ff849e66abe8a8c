import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { DomainEvents } from '../../../events/domain-events.js';
import { all } from '../../../database/statements.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import { Clock } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import type { Money } from '../../../common/money.js';
import { AlertsService } from '../../core/alerts/alerts.service.js';
import {
  sendersOf,
  verifyPayment,
  type ChainCheckResult,
  type TransactionLookup,
} from '../../providers/chain/domain/chain-check.js';
import { TransactionLookupService } from '../../providers/chain/transaction-lookup.service.js';
import { minedOf } from '../../providers/chain/chain.client.js';
import { lockTxHash } from '../../providers/chain/transaction-hash.repository.js';
import { LATE_PAYMENT, latePaymentAlert, paymentMismatchAlert } from './domain/alerts-and-approvals.js';
import { isFailedAndReserved, isUnpayable } from './domain/withdrawal.state-machine.js';
import type { Withdrawal } from './entities/withdrawal.entity.js';
import { PaymentSearchService } from './payment-search.service.js';
import type { WithdrawalOnChainEvent } from './withdrawal.events.js';
import {
  lockTxHashHolder,
  WithdrawalPaymentsRepository,
  type TxHashHolder,
} from './withdrawal-payments.repository.js';
import { WithdrawalsRepository } from './withdrawals.repository.js';
import type {
  CheckedPayment,
  EnteredPayment,
  PaymentSearch,
  TransitionChanges,
  UnclaimedPayment,
} from './withdrawals.types.js';

/**
 * `paid`: the transaction is a late payment, and an alert reports it. `unpaid`: it is none, or the withdrawal does not exist or has
 * neither failed nor been rejected or cancelled. `undecided`: the chain does not show the transaction yet, the node does not answer, the
 * transfer may pay another withdrawal, or an alert about an earlier payment of the withdrawal is open.
 */
export type LatePaymentResult = 'paid' | 'unpaid' | 'undecided';

/** Compares withdrawals with transfers on chain. */
@Injectable()
export class WithdrawalPaymentsService {
  constructor(
    private readonly lookups: TransactionLookupService,
    private readonly unitOfWork: UnitOfWork,
    private readonly withdrawals: WithdrawalsRepository,
    private readonly payments: WithdrawalPaymentsRepository,
    private readonly search: PaymentSearchService,
    private readonly domainEvents: DomainEvents,
    private readonly alerts: AlertsService,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {}

  /** Normalises the payment's hash and looks it up. Asks the node, so it is not called inside a transaction. */
  async lookUpPayment(payment: EnteredPayment): Promise<CheckedPayment> {
    return { ...payment, ...(await this.lookups.lookUpEnteredHash(payment.txHash)) };
  }

  /**
   * The newest transfer to the withdrawal's address since its request that no other withdrawal has claimed: with CUSTODY_ADDRESSES
   * any transfer from custody, otherwise one of exactly the amount. Null if there is none, or if the withdrawal has ended;
   * `unreachable` if the search does not reach the request. Not called inside a transaction.
   */
  findPaymentSinceRequest(id: string): Promise<PaymentSearch> {
    return this.search.findPayment(id);
  }

  /** Locks the hash, and reads what `completionChanges` needs. */
  lockPayment(tx: Tx, id: string, { txHash }: CheckedPayment) {
    return all(lockTxHashHolder(tx, txHash), this.payments.countMatchedPayments(tx, id, txHash));
  }

  /** How many transfers of this transaction and amount to the user's wallets already prove withdrawals, and so prove no other payment. */
  countMatchedPaymentsToWallets(
    tx: Tx,
    userId: string | null,
    txHash: string,
    amount: Money,
  ): Promise<number> {
    return this.payments.countMatchedPaymentsToWallets(tx, userId, txHash, amount);
  }

  /** Decides which columns are written when this payment completes the withdrawal. Throws DUPLICATE_TX_HASH. */
  completionChanges(
    withdrawal: Withdrawal,
    { txHash, note, allowSharedTxHash, lookup }: CheckedPayment,
    at: Date,
    [holder, paidBefore]: readonly [TxHashHolder | undefined, number],
  ): TransitionChanges {
    if (holder && !allowSharedTxHash) throwError('DUPLICATE_TX_HASH', { [`${holder.type}Id`]: holder.id });
    const { chainCheck, reason } = this.verifyTransfer(lookup, withdrawal, {
      paidBefore,
      waitedMs: 0,
    });
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

  /** Compares a completed withdrawal with the looked-up transaction and stores the result, if the chain check is unverified. */
  recordChainCheck(id: string, lookup: TransactionLookup): Promise<void> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const withdrawal = await this.withdrawals.lockWithdrawal(tx, id);
      const { chainCheck: before, txHash, completedAt } = withdrawal;
      // Another process may have settled the check meanwhile.
      if (before !== 'unverified' || txHash === null || completedAt === null) return;
      await lockTxHash(tx, txHash);
      const paidBefore = await this.payments.countMatchedPayments(tx, id, txHash);
      const at = this.clock.now();
      const waitedMs = at.getTime() - completedAt.getTime();
      const result = this.verifyTransfer(lookup, withdrawal, { paidBefore, waitedMs });
      await this.payments.setChainCheck(tx, id, result, at);
      const { chainCheck, reason: chainCheckReason } = result;
      await this.announceVerdict(
        tx,
        { ...withdrawal, chainCheck, chainCheckReason, chainCheckedAt: at },
        lookup,
      );
    });
  }

  /**
   * In the transaction that stores the chain check of a completed withdrawal: emits `withdrawal-on-chain.matched` if the chain
   * shows its transfer, and raises an alert if the chain refutes it.
   */
  async announceVerdict(tx: Tx, withdrawal: Withdrawal, lookup: TransactionLookup): Promise<void> {
    const { id, userId, chainCheck, chainCheckReason: reason, chainCheckedAt, txHash } = withdrawal;
    if (chainCheck === 'mismatch' && reason !== null && txHash !== null) {
      const { amount, currency, toAddress } = withdrawal;
      const description = `A withdrawal of ${amount.toWire()} ${currency} to ${toAddress}`;
      const subject = { type: 'withdrawal', id, userId } as const;
      const senders = sendersOf(lookup, { to: [toAddress], amount });
      await this.alerts.raise(paymentMismatchAlert({ subject, description, txHash, reason, senders }), tx);
    }
    if (chainCheck !== 'matched' || chainCheckedAt === null || typeof lookup === 'string') return;
    await this.domainEvents.emit<WithdrawalOnChainEvent>(tx, {
      name: 'withdrawal-on-chain.matched',
      userId,
      at: chainCheckedAt,
      withdrawalId: id,
      mined: minedOf(lookup),
    });
  }

  /**
   * Raises an alert if the transaction pays a withdrawal that must not be paid any more, or pays a second time one that was
   * completed after its failure. A transfer that the job has found by address and amount may pay another withdrawal; the
   * provider names the withdrawal that its transfer pays.
   */
  async checkLatePayment(id: string, hash: string, source: 'provider' | 'job'): Promise<LatePaymentResult> {
    const { txHash, lookup } = await this.lookups.lookUpEnteredHash(hash);
    return this.unitOfWork.runInTransaction(async (tx) => {
      const withdrawal = await this.withdrawals.lockIfExists(tx, id);
      if (!withdrawal) return 'unpaid';
      if (!isUnpayable(withdrawal) && !(await this.payments.hasFailed(tx, id))) return 'unpaid';
      await lockTxHash(tx, txHash);
      const paidBefore = await this.payments.countMatchedPayments(tx, id, txHash);
      // Without a wait a hash that the chain does not know is unverified, not a mismatch.
      const { chainCheck } = this.verifyTransfer(lookup, withdrawal, { paidBefore, waitedMs: 0 });
      if (chainCheck === 'unverified') return 'undecided';
      if (chainCheck === 'mismatch') return 'unpaid';
      if (source === 'job' && (await this.payments.mayPayAnother(tx, withdrawal, txHash))) return 'undecided';
      const senders = sendersOf(lookup, { to: [withdrawal.toAddress], amount: withdrawal.amount });
      const isFromCustody = this.config.CUSTODY_ADDRESSES.length > 0; // then `verifyTransfer` has compared the sender
      const isReported = await this.alerts.raise(
        latePaymentAlert(withdrawal, txHash, { senders, isFromCustody }),
        tx,
      );
      return isReported ? 'paid' : 'undecided';
    });
  }

  /** Raises the alert about a payment that was found before the withdrawal was rejected. */
  async reportLatePayment(
    tx: Tx,
    withdrawal: Withdrawal,
    { txHash, sender, amount: paid }: UnclaimedPayment,
  ): Promise<void> {
    const isFromCustody = this.config.CUSTODY_ADDRESSES.length > 0; // then the search has compared the sender
    await this.alerts.raise(
      latePaymentAlert(withdrawal, txHash, { senders: [sender], isFromCustody, paid }),
      tx,
    );
  }

  /**
   * Locks a withdrawal whose late payment can be booked as a withdrawal by hand. Throws WITHDRAWAL_NOT_FOUND, and INVALID_STATE
   * if no alert reports a late payment, or if the amount is still reserved, so that completing the withdrawal records the payment.
   */
  async lockPaidLate(tx: Tx, id: string): Promise<Withdrawal> {
    const withdrawal = await this.withdrawals.lockWithdrawal(tx, id);
    const { status } = withdrawal;
    const isReserved = isFailedAndReserved(withdrawal);
    if (!isReserved && (await this.alerts.hasAlert(tx, LATE_PAYMENT, id))) return withdrawal;
    const message = isReserved
      ? 'The amount of this withdrawal is still reserved: complete it with the hash of its payment.'
      : 'No alert reports a payment of this withdrawal. Leave withdrawalId out.';
    return throwError('INVALID_STATE', { status, action: 'withdrawal', allowedFrom: [] }, { message });
  }

  /** Throws VALIDATION_ERROR unless an alert reports the transaction as a late payment of the withdrawal. */
  async requireReportedHash(tx: Tx, id: string, txHash: string | undefined): Promise<void> {
    if (txHash !== undefined && (await this.alerts.hasAlert(tx, LATE_PAYMENT, id, txHash))) return;
    const message = 'has to be the hash that the alert about the late payment reports';
    throwError('VALIDATION_ERROR', [{ field: 'transactionHash', message }]);
  }

  /** Resolves the alert about this payment, which a completion has recorded. */
  async resolveLatePayment(tx: Tx, id: string, txHash: string): Promise<void> {
    await this.alerts.resolveEventBySystem(tx, LATE_PAYMENT, id, txHash);
  }

  /** The payment must not be older than the withdrawal's request and, with CUSTODY_ADDRESSES, has to come from one of these. */
  private verifyTransfer(
    lookup: TransactionLookup,
    { toAddress, amount, recordedAt }: Withdrawal,
    { paidBefore, waitedMs }: { readonly paidBefore: number; readonly waitedMs: number },
  ): ChainCheckResult {
    const { CUSTODY_ADDRESSES: senders } = this.config;
    return verifyPayment(lookup, {
      to: [toAddress],
      amount,
      notBefore: recordedAt, // real time, as the times of blocks are
      senders,
      paidBefore,
      waitedMs,
    });
  }
}
