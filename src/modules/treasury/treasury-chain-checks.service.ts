import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { verifyPayment, type Payment, type TransactionLookup } from '../blockchain/domain/chain-check.js';
import type { LookedUpHash } from '../blockchain/transaction-lookup.service.js';
import { minedOf } from '../blockchain/domain/mined.js';
import { lockTxHash } from '../blockchain/transaction-hash.repository.js';
import { DepositAddressesService } from '../deposits/deposit-addresses.service.js';
import { USDC } from '../ledger/domain/chart-of-accounts.js';
import { TransactionsRepository } from '../transactions/transactions.repository.js';
import { WalletLinksService } from '../wallets/wallet-links.service.js';
import { AdminTransactionsRepository } from './admin-transactions.repository.js';
import { isIntoCustody, SETTLEMENT_NETWORK } from './domain/transfer-plan.js';
import type { AdminTransaction } from './entities/admin-transaction.entity.js';
import type { AdminTransactionChanges } from './treasury.types.js';

/** Compares the hashes of admin transactions with the chain. */
@Injectable()
export class TreasuryChainChecksService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly repository: AdminTransactionsRepository,
    private readonly transactions: TransactionsRepository,
    private readonly wallets: WalletLinksService,
    private readonly depositAddresses: DepositAddressesService,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {}

  /**
   * Returns the columns about the entered hash that a confirmation writes. The caller has locked the hash and checked that no
   * other record has it (`findTxHashHolder`).
   */
  async checkEnteredHash(
    tx: Tx,
    transaction: AdminTransaction,
    { txHash, lookup }: LookedUpHash,
    at: Date,
  ): Promise<AdminTransactionChanges> {
    return {
      txHash,
      ...(await this.checkPayment(tx, transaction, lookup, { at, waitedMs: 0, paidBefore: 0 })),
    };
  }

  /** Stores the result of a later lookup, unless another replica has already settled the hash. */
  recordLookup(id: string, lookup: TransactionLookup): Promise<void> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const transaction = await this.repository.lockTransaction(tx, id);
      const { chainCheck, confirmedAt, txHash } = transaction;
      if (chainCheck !== 'unverified' || confirmedAt === null || txHash === null) return;
      const at = this.clock.now();
      const waitedMs = at.getTime() - confirmedAt.getTime();
      await lockTxHash(tx, txHash); // no withdrawal with this hash can become matched between the count and the commit
      const paidBefore = await this.repository.countMatchedWithdrawals(tx, transaction);
      const checked = await this.checkPayment(tx, transaction, lookup, { at, waitedMs, paidBefore });
      await this.repository.updateChainCheck(tx, id, checked);
      if (checked.chainCheck === 'matched' && typeof lookup !== 'string')
        await this.transactions.collectMined(tx, { type: 'admin-transaction', id }, minedOf(lookup));
    });
  }

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
    const { chainCheck } = verifyPayment(lookup, payment);
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
