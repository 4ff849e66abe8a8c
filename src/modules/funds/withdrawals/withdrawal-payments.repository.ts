import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { isId } from '../../../common/ids.js';
import { all, read } from '../../../database/statements.js';
import { orBeforeAll } from '../../../lists/list-page.js';
import { markRecord } from '../../../lists/total-marks.js';
import type { Tx } from '../../../database/unit-of-work.js';
import type { ChainCheckResult } from '../../providers/chain/domain/chain-check.js';
import type { Money } from '../../../common/money.js';
import { hashForms } from '../../providers/chain/domain/transaction-hash.js';
import { isWalletOf } from '../../identity/wallets/wallets.repository.js';
import { lockTxHash } from '../../providers/chain/transaction-hash.repository.js';
import type { UnverifiedHash } from '../../providers/chain/transaction-lookup.service.js';
import { Withdrawal, WithdrawalStep } from './entities/withdrawal.entity.js';

// Bounds of one run of the jobs. Of the failed, the completed and the rejected withdrawals the newest are read.
const MAX_UNVERIFIED = 100;
const MAX_FAILED = 200;
const MAX_REJECTED = 1_000;
/** Users may cancel any number of withdrawals; this keeps one user from using up `MAX_REJECTED`. */
const MAX_REJECTED_PER_USER = 20;

/** A withdrawal that must not be paid any more, or not a second time. */
export interface UnpayableWithdrawal {
  readonly id: string;
  readonly toAddress: string;
  readonly amount: string;
}

/** Failed withdrawals, and those that were released, rejected, cancelled or, having failed, completed after $1. */
const UNPAYABLE = `
  (select id, to_address as "toAddress", amount from withdrawal
    where status = 'failed' and (released_at is null or released_at > $1)
    order by created_at desc, id desc limit ${MAX_FAILED})
  union all
  (select id, to_address, amount from withdrawal
    where status = 'completed' and ${orBeforeAll('completed_at')} > $1
      and id in (select withdrawal_id from withdrawal_event where status = 'failed')
    order by ${orBeforeAll('completed_at')} desc, id desc limit ${MAX_FAILED})
  union all
  (select id, to_address, amount
     from (select withdrawal.id, to_address, amount, event.at,
                  row_number() over (partition by user_id order by event.at desc, event.id desc) as rank_of_user
             from withdrawal_event as event join withdrawal on withdrawal.id = event.withdrawal_id
            where event.status = 'rejected' and event.at > $1) as rejected
    where rank_of_user <= ${MAX_REJECTED_PER_USER} order by at desc, id limit ${MAX_REJECTED})`;

// `offset 0`: without it PostgreSQL may read all withdrawals of the amount instead of those with the hash. Reads
// `admin_transaction` of the module treasury.
const COUNT_MATCHED_PAYMENTS = `
  select (select count(*)::int
            from (select * from withdrawal where tx_hash = any($2) offset 0) as paid
           where lower(to_address) = lower(claim.to_address) and amount = claim.amount and chain_check = 'matched')
       + (select count(*)::int
            from (select * from admin_transaction where tx_hash = any($2) offset 0) as booked
           where type = 'withdrawal' and amount = claim.amount and chain_check = 'matched'
             and ${isWalletOf('booked.user_id', 'claim.to_address')}) as paid
    from withdrawal as claim where id = $1`;

/** A record that has a given transaction hash; `transaction` means an admin transaction. */
export interface TxHashHolder {
  readonly type: 'withdrawal' | 'transaction' | 'deposit';
  readonly id: string;
}

/**
 * Locks the hash as `lockTxHash` does and returns a record that has the hash, with or without 0x: the first withdrawal that got
 * the hash, an admin transaction, or a deposit that is confirming or completed. Reads tables of the modules treasury and
 * deposits.
 */
export async function lockTxHashHolder(tx: Tx, txHash: string): Promise<TxHashHolder | undefined> {
  const [, [holder]] = await all(
    lockTxHash(tx, txHash),
    read<TxHashHolder>(
      tx,
      `(select 'withdrawal' as type, id from withdrawal where tx_hash = any($1) order by tx_hash_shared limit 1)
       union all select 'transaction', id from admin_transaction where tx_hash = any($1)
       union all select 'deposit', id from deposit
                  where network in ('ERC20', 'BEP20', 'TRC20') and tx_hash = any($1)
                    and failure is null and status in ('confirming', 'completed')
       limit 1`,
      [hashForms(txHash)],
    ),
  );
  return holder;
}

/** Reads and writes that compare withdrawals with transfers on chain. */
@Injectable()
export class WithdrawalPaymentsRepository {
  constructor(@InjectRepository(Withdrawal) private readonly withdrawals: Repository<Withdrawal>) {}

  /**
   * The number of payments of the withdrawal's amount to its address that the chain has confirmed with this hash; zero for a
   * withdrawal that does not exist.
   */
  async countMatchedPayments(tx: Tx, withdrawalId: string, txHash: string): Promise<number> {
    const id = isId(withdrawalId) ? withdrawalId : null;
    const [row] = await read<{ paid: number }>(tx, COUNT_MATCHED_PAYMENTS, [id, hashForms(txHash)]);
    return row?.paid ?? 0;
  }

  /**
   * The number of payments of this amount to one of the user's wallets, unlinked ones included, that the chain has confirmed with this
   * hash.
   */
  async countMatchedPaymentsToWallets(
    tx: Tx,
    userId: string | null,
    txHash: string,
    amount: Money,
  ): Promise<number> {
    const [row] = await tx.query<{ matched: number }[]>(
      `select count(*)::int as matched from withdrawal
        where tx_hash = any($1) and amount = $2 and chain_check = 'matched'
          and ${isWalletOf('$3', 'to_address')}`,
      [hashForms(txHash), amount.toString(), userId],
    );
    return row?.matched ?? 0;
  }

  /** Completed withdrawals with an unverified chain check, the longest unchecked first. */
  findUnverified(): Promise<UnverifiedHash[]> {
    return this.withdrawals.find({
      select: { id: true, txHash: true },
      where: { chainCheck: 'unverified' },
      order: { chainCheckedAt: 'asc', id: 'asc' },
      take: MAX_UNVERIFIED,
    }) as Promise<UnverifiedHash[]>;
  }

  async setChainCheck(
    tx: Tx,
    id: string,
    { chainCheck, reason: chainCheckReason }: ChainCheckResult,
    chainCheckedAt: Date,
  ): Promise<void> {
    await tx.update(Withdrawal, id, { chainCheck, chainCheckReason, chainCheckedAt });
    markRecord(tx, 'withdrawal', id);
  }

  /** Failed withdrawals until their release, and those released, rejected, cancelled or completed after `since`. */
  findUnpayable(since: Date): Promise<UnpayableWithdrawal[]> {
    return this.withdrawals.query<UnpayableWithdrawal[]>(UNPAYABLE, [since]);
  }

  /** True for a withdrawal that has failed, also if it was completed afterwards. */
  async hasFailed(tx: Tx, id: string): Promise<boolean> {
    return tx.existsBy(WithdrawalStep, { withdrawalId: id, status: 'failed' });
  }

  /**
   * The number of payments to the withdrawal's address for which this transaction is recorded: by other withdrawals, and by withdrawals
   * by hand to a wallet of their user. Payments of another amount count only with `isAnyAmount`; those that the chain has refuted never
   * count. Reads `admin_transaction` of the module treasury.
   */
  async countClaims(
    { id, toAddress, amount }: Withdrawal,
    txHash: string,
    isAnyAmount: boolean,
  ): Promise<number> {
    const [row] = await this.withdrawals.query<{ claims: number }[]>(
      `select (select count(*)::int from withdrawal
                where id <> $1 and lower(to_address) = lower($2) and ($5 or amount = $3)
                  and tx_hash = any($4) and chain_check <> 'mismatch')
            + (select count(*)::int from admin_transaction as booked
                where type = 'withdrawal' and ($5 or amount = $3) and tx_hash = any($4) and chain_check <> 'mismatch'
                  and ${isWalletOf('booked.user_id', '$2')}) as claims`,
      [id, toAddress, amount.toString(), hashForms(txHash), isAnyAmount],
    );
    return row?.claims ?? 0;
  }

  findWithdrawal(id: string): Promise<Withdrawal | null> {
    return isId(id) ? this.withdrawals.findOneBy({ id }) : Promise.resolve(null);
  }

  /**
   * True if a transfer of this transaction may pay another withdrawal, or a withdrawal by hand, whose hash is not entered or not
   * verified yet. Reads `admin_transaction` of the module treasury.
   */
  async mayPayAnother(tx: Tx, { id, toAddress, amount }: Withdrawal, txHash: string): Promise<boolean> {
    const rows = await tx.query<unknown[]>(
      `select from withdrawal
        where id <> $1 and lower(to_address) = lower($2) and amount = $3
          and (status = 'processing' or (tx_hash = any($4) and chain_check = 'unverified'))
       union all
       select from admin_transaction as booked
        where type = 'withdrawal' and amount = $3
          and (status = 'processing' or (tx_hash = any($4) and chain_check = 'unverified'))
          and ${isWalletOf('booked.user_id', '$2')}
       limit 1`,
      [id, toAddress, amount.toString(), hashForms(txHash)],
    );
    return rows.length > 0;
  }
}
