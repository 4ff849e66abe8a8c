import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import { Job } from '../../jobs/job.decorator.js';
import { Clock } from '../../common/clock.js';
import { verifyPayment, type Payment, type TransactionLookup } from '../blockchain/domain/chain-check.js';
import { normalizeHash } from '../blockchain/domain/transaction-hash.js';
import { TransactionLookupService, type UnverifiedHash } from '../blockchain/transaction-lookup.service.js';
import { minedOf } from '../blockchain/domain/mined.js';
import { lockTxHash } from '../blockchain/transaction-hash.repository.js';
import { TransactionsRepository } from '../transactions/transactions.repository.js';
import type { AdminTransaction } from './entities/admin-transaction.entity.js';
import { AdminTransactionRecords, type Changes } from './admin-transaction.records.js';
import { isIntoCustody, SETTLEMENT_NETWORK } from './treasury-plan.js';
import { Providers, type Provider } from './treasury-providers.js';

const BATCH = 100;
/** What the chain has not settled by then stays unverified: where tokens may have gone anywhere, it never will. */
const LOOK_FOR_MS = 86_400_000;

/** A hash as an admin entered it, and what the chain said of it just then. */
export interface EnteredHash {
  readonly txHash: string;
  readonly lookup: TransactionLookup;
}

/** Compares the hashes of confirmed transactions with the chain, again and again until it has spoken. */
@Injectable()
export class TreasuryChainChecks {
  constructor(
    private readonly lookups: TransactionLookupService,
    private readonly unitOfWork: UnitOfWork,
    private readonly records: AdminTransactionRecords,
    private readonly shown: TransactionsRepository,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly providers: Providers,
  ) {}

  /** Outside of any transaction. */
  async look(given: string): Promise<EnteredHash> {
    const txHash = normalizeHash(given);
    return { txHash, lookup: await this.lookups.lookUpTransaction(txHash) };
  }

  /** What confirming one with this hash stores beside it. */
  async entered(
    tx: Tx,
    transaction: AdminTransaction,
    { txHash, lookup }: EnteredHash,
    at: Date,
  ): Promise<Changes> {
    return { txHash, ...(await this.verdict(tx, transaction, lookup, { at, waitedMs: 0, paidBefore: 0 })) };
  }

  /** One pass over what is unverified, the longest unlooked-at first. */
  @Job({
    name: 'treasury-chain-checks',
    purpose: 'Compares the hashes of confirmed admin transactions with the chain, until it has settled them',
    everySeconds: 60,
  })
  async recheck(stopping: AbortSignal): Promise<void> {
    const since = new Date(this.clock.now().getTime() - LOOK_FOR_MS);
    const waiting = await this.dataSource.query<UnverifiedHash[]>(
      `select id, tx_hash as "txHash" from admin_transaction
        where chain_check = 'unverified' and network = '${SETTLEMENT_NETWORK}' and confirmed_at > $1
        order by chain_checked_at, id limit ${BATCH}`,
      [since],
    );
    await this.lookups.recheckUnverified(waiting, (id, lookup) => this.settle(id, lookup), stopping);
  }

  private settle(id: string, lookup: TransactionLookup): Promise<void> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const transaction = await this.records.lock(tx, id);
      const { chainCheck, confirmedAt, txHash } = transaction;
      if (chainCheck !== 'unverified' || confirmedAt === null || txHash === null) return; // another replica was first
      const at = this.clock.now();
      const waitedMs = at.getTime() - confirmedAt.getTime();
      await lockTxHash(tx, txHash);
      const paidBefore = await paidToWallets(tx, transaction);
      const found = await this.verdict(tx, transaction, lookup, { at, waitedMs, paidBefore });
      await this.records.noteChainCheck(tx, id, found);
      if (found.chainCheck === 'matched' && typeof lookup !== 'string')
        await this.shown.updateMined(tx, { type: 'admin-transaction', id }, minedOf(lookup));
    });
  }

  private async verdict(
    tx: Tx,
    transaction: AdminTransaction,
    lookup: TransactionLookup,
    { at, waitedMs, paidBefore }: { at: Date; waitedMs: number; paidBefore: number },
  ): Promise<Changes> {
    if (transaction.network !== SETTLEMENT_NETWORK) return { chainCheck: 'unverified', chainCheckedAt: at };
    const { amount } = transaction;
    const payment = { amount, paidBefore, waitedMs, ...(await this.destinationOf(tx, transaction)) };
    const { chainCheck } = verifyPayment(lookup, payment);
    const seen = typeof lookup === 'string' ? undefined : lookup;
    return {
      chainCheck,
      chainCheckedAt: at,
      ...(seen ? minedOf(seen) : {}),
    };
  }

  /** A withdrawal by hand names no address: the user's wallets are known, and it may have gone elsewhere. */
  private async destinationOf(
    tx: Tx,
    { type, userId, purpose }: AdminTransaction,
  ): Promise<Pick<Payment, 'to' | 'orElsewhere'>> {
    if (type === 'withdrawal') {
      const wallets = await addresses(tx, WALLETS, userId);
      return { to: wallets, orElsewhere: true };
    }
    const to =
      type === 'deposit'
        ? await addresses(tx, DEPOSIT_ADDRESS, userId)
        : [this.receiverOf(purpose).address].filter((address) => address !== undefined);
    return { to, orElsewhere: to.length === 0 };
  }

  private receiverOf(purpose: AdminTransaction['purpose']): Provider {
    return isIntoCustody(purpose) ? this.providers.custody : this.providers.depositProvider;
  }
}

const WALLETS = `select address from wallet
  where user_id = $1 and unlinked_at is null and suspended_at is null`;

const DEPOSIT_ADDRESS = `select address from deposit_address
  where user_id = $1 and currency = 'USDC' and network = '${SETTLEMENT_NETWORK}'`;

/** Withdrawals that were allowed to share the hash, and that its transfers to these wallets have matched already. */
async function paidToWallets(tx: Tx, { txHash, userId, amount }: AdminTransaction): Promise<number> {
  const [row] = await tx.query<{ paid: number }[]>(
    `select count(*)::int as paid from withdrawal
      where tx_hash = $1 and amount = $2 and chain_check = 'matched'
        and lower(to_address) in (select lower(address) from wallet where user_id = $3)`,
    [txHash, amount.toString(), userId],
  );
  return row?.paid ?? 0;
}

async function addresses(tx: Tx, query: string, userId: string | null): Promise<string[]> {
  return (await tx.query<{ address: string }[]>(query, [userId])).map(({ address }) => address);
}
