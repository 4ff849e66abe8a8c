import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { DAY_MS } from '../../../common/durations.js';
import { AppConfig } from '../../../config/app-config.js';
import type { Tx } from '../../../database/tx.js';
import { UnitOfWork } from '../../../database/unit-of-work.js';
import { Job } from '../../../jobs/job.decorator.js';
import { AlertsService } from '../../core/alerts/alerts.service.js';
import { USDC } from '../../core/ledger/domain/chart-of-accounts.js';
import { DepositAddressesService } from '../../funds/deposits/deposit-addresses.service.js';
import { paymentMismatchAlert } from '../../funds/withdrawals/domain/alerts-and-approvals.js';
import { WithdrawalPaymentsService } from '../../funds/withdrawals/withdrawal-payments.service.js';
import { WalletLinksService } from '../../identity/wallets/wallet-links.service.js';
import { TransactionsRepository } from '../../portfolio/transactions/transactions.repository.js';
import { minedOf } from '../../providers/chain/chain.client.js';
import {
  sendersOf,
  verifyPayment,
  type Payment,
  type TransactionLookup,
} from '../../providers/chain/domain/chain-check.js';
import { lockTxHash } from '../../providers/chain/transaction-hash.repository.js';
import {
  TransactionLookupService,
  type LookedUpHash,
} from '../../providers/chain/transaction-lookup.service.js';
import { AdminTransactionsRepository } from './admin-transactions.repository.js';
import { isIntoCustody, SETTLEMENT_NETWORK } from './domain/transfer-plan.js';
import type { AdminTransaction } from './entities/treasury.entity.js';
import type { AdminTransactionChanges } from './treasury.types.js';

const HASHES_PER_RUN = 100;

/** A payment to an address that the platform does not know stays unverified for ever: a hash is checked for a day at most. */
const MAX_AGE_MS = DAY_MS;

/** Compares the hashes of admin transactions with the chain. */
@Injectable()
export class TreasuryChainChecksService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly repository: AdminTransactionsRepository,
    private readonly lookups: TransactionLookupService,
    private readonly transactions: TransactionsRepository,
    private readonly wallets: WalletLinksService,
    private readonly payments: WithdrawalPaymentsService,
    private readonly depositAddresses: DepositAddressesService,
    private readonly alerts: AlertsService,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {}

  /**
   * Returns the columns about the entered hash that a confirmation writes, and raises an alert if the chain refutes the payment.
   * The caller has locked the hash and checked that no other record has it (`lockTxHashHolder`).
   */
  async checkEnteredHash(
    tx: Tx,
    transaction: AdminTransaction,
    { txHash, lookup }: LookedUpHash,
    at: Date,
  ): Promise<AdminTransactionChanges> {
    const entered = { ...transaction, txHash };
    const checked = await this.checkPayment(tx, entered, lookup, { at, waitedMs: 0, paidBefore: 0 });
    return { txHash, ...checked };
  }

  /** Checks the hashes of confirmed admin transactions again until each is `matched` or `mismatch`, for a day at most. */
  @Job({
    name: 'treasury-chain-checks',
    purpose:
      'Compares the hashes of confirmed admin transactions with the chain, until it has settled them, for a day at most',
    everySeconds: 60,
  })
  async recheckUnverifiedHashes(stopping: AbortSignal): Promise<void> {
    const confirmedAfter = new Date(this.clock.now().getTime() - MAX_AGE_MS);
    const unverified = await this.repository.findUnverifiedHashes(confirmedAfter, HASHES_PER_RUN);
    await this.lookups.recheckUnverified(unverified, (id, lookup) => this.recordLookup(id, lookup), stopping);
  }

  /** Stores the result of a later lookup, unless another replica has already settled the hash. */
  private recordLookup(id: string, lookup: TransactionLookup): Promise<void> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const transaction = await this.repository.lockTransaction(tx, id);
      const { chainCheck, confirmedAt, txHash, userId, amount } = transaction;
      if (chainCheck !== 'unverified' || confirmedAt === null || txHash === null) return;
      const at = this.clock.now();
      const waitedMs = at.getTime() - confirmedAt.getTime();
      await lockTxHash(tx, txHash); // no withdrawal with this hash can become matched between the count and the commit
      const paidBefore = await this.payments.countMatchedPaymentsToWallets(tx, userId, txHash, amount);
      const checked = await this.checkPayment(tx, transaction, lookup, { at, waitedMs, paidBefore });
      this.repository.updateChainCheck(tx, id, checked);
      if (checked.chainCheck === 'matched' && typeof lookup !== 'string')
        this.transactions.updateMined(tx, { type: 'admin-transaction', id }, minedOf(lookup));
    });
  }

  /** Raises an alert if the chain refutes the payment. */
  private async checkPayment(
    tx: Tx,
    transaction: AdminTransaction,
    lookup: TransactionLookup,
    { at, waitedMs, paidBefore }: { at: Date; waitedMs: number; paidBefore: number },
  ): Promise<AdminTransactionChanges> {
    // The service can read no other chain.
    if (transaction.network !== SETTLEMENT_NETWORK) return { chainCheck: 'unverified', chainCheckedAt: at };
    const destination = await this.destinationOf(tx, transaction);
    const payment = { amount: transaction.amount, paidBefore, waitedMs, ...destination };
    const { chainCheck, reason } = verifyPayment(lookup, payment);
    const { id, userId, txHash } = transaction;
    if (reason !== null && txHash !== null) {
      const subject = { type: 'transaction', id, ...(userId === null ? {} : { userId }) } as const;
      const description = describePayment(transaction, destination.to);
      const senders = sendersOf(lookup, payment);
      await this.alerts.raise(paymentMismatchAlert({ subject, description, txHash, reason, senders }), tx);
    }
    return { chainCheck, chainCheckedAt: at, ...(typeof lookup === 'string' ? {} : minedOf(lookup)) };
  }

  private async destinationOf(
    tx: Tx,
    { type, userId, purpose }: AdminTransaction,
  ): Promise<Pick<Payment, 'to' | 'mayHaveOtherRecipient'>> {
    if (type === 'withdrawal') {
      // A withdrawal booked by hand names no address, so custody may have paid to an address that is not a known wallet.
      const wallets = await this.wallets.listUsableAddresses(tx, userId as string);
      return { to: wallets, mayHaveOtherRecipient: true };
    }
    if (type === 'deposit') {
      const to = await this.depositAddresses.listAddresses(tx, userId as string, USDC, SETTLEMENT_NETWORK);
      return { to, mayHaveOtherRecipient: to.length === 0 };
    }
    const { CUSTODY_ADDRESS, DEPOSIT_PROVIDER_ADDRESS } = this.config;
    const receiver = isIntoCustody(purpose) ? CUSTODY_ADDRESS : DEPOSIT_PROVIDER_ADDRESS;
    return receiver === undefined ? { to: [], mayHaveOtherRecipient: true } : { to: [receiver] };
  }
}

const MAX_NAMED_ADDRESSES = 3;

/** For an alert: type, amount, currency and the addresses of which one has to be the recipient. */
function describePayment(
  { type, amount, currency, purpose }: AdminTransaction,
  recipients: readonly string[],
): string {
  const what = type === 'transfer' ? `transfer (${purpose})` : `${type} by hand`;
  const named = recipients.slice(0, MAX_NAMED_ADDRESSES).join(' or ');
  const more = recipients.length > MAX_NAMED_ADDRESSES ? ' or another address of the user' : '';
  return `A ${what} of ${amount.toWire()} ${currency} to ${named || 'an address that the platform does not know'}${more}`;
}
