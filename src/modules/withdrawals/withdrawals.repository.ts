import { Injectable } from '@nestjs/common';
import { prepared } from '../../database/prepared.js';
import type { Tx } from '../../database/unit-of-work.js';
import { fail } from '../../common/errors/domain-error.js';
import { isId, newId } from '../../common/ids.js';
import { Money } from '../../common/money.js';
import { AuditService } from '../audit/audit.service.js';
import type { ChainCheckResult } from '../blockchain/domain/chain-check.js';
import type { Destination } from './domain/destination.js';
import { Withdrawal } from './entities/withdrawal.entity.js';
import type { WithdrawalStatus, WithdrawalVerb } from './domain/withdrawal.state-machine.js';

/** Who acts on a withdrawal: a user by id, an admin by e-mail address, a provider by name. */
export interface Actor {
  readonly type: 'user' | 'admin' | 'provider';
  readonly id: string;
}

/** What a transition writes beside the status. */
export type Changes = Partial<
  Pick<
    Withdrawal,
    | 'approvedAt'
    | 'approvedBy'
    | 'executedAt'
    | 'completedAt'
    | 'cancelledAt'
    | 'txHash'
    | 'txHashShared'
    | 'chainCheck'
    | 'chainCheckReason'
    | 'chainCheckedAt'
    | 'releasedAt'
    | 'note'
  >
>;

interface Step {
  readonly verb: WithdrawalVerb;
  readonly to: WithdrawalStatus;
  readonly by: Actor;
  readonly at: Date;
  readonly changes: Changes;
}

/**
 * What counts against the daily limit: all but what was rejected or cancelled. A failed one counts until it is
 * released, because its money may have left. SQL over `withdrawal` as `counted`.
 */
export const COUNTED = `counted.status <> 'rejected' and counted.released_at is null`;
export const LIMIT_WINDOW_MS = 86_400_000;

/** Whose money is held still: a failed one's until it is released. SQL over `withdrawal`. */
export const HOLDS_MONEY = `withdrawal.status in ('pending', 'approved', 'processing', 'failed')
  and withdrawal.released_at is null`;

const LOCK = prepared(
  `select id, user_id as "userId", amount, currency, to_address as "toAddress", address_checksum as "addressChecksum",
          status, created_at as "createdAt", recorded_at as "recordedAt", approved_at as "approvedAt", approved_by as "approvedBy",
          executed_at as "executedAt", completed_at as "completedAt", cancelled_at as "cancelledAt", tx_hash as "txHash",
          tx_hash_shared as "txHashShared", chain_check as "chainCheck", chain_check_reason as "chainCheckReason", chain_checked_at as "chainCheckedAt",
          released_at as "releasedAt", note
     from withdrawal where id = $1 for update`,
);

// A withdrawal and each step of its are written together with the event that tells of it.
const ADD = prepared(
  `with added as (
     insert into withdrawal (id, user_id, amount, currency, to_address, address_checksum, status, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning *
   )
   insert into withdrawal_event (withdrawal_id, status, verb, at, by_type, by_id)
   select id, status, 'request', created_at, $9, $10 from added
   returning (select recorded_at from added) as "recordedAt"`,
);
const MOVE = prepared(
  `with moved as (
     update withdrawal
        set status = $2, approved_at = $3, approved_by = $4, executed_at = $5, completed_at = $6, tx_hash = $7,
            tx_hash_shared = $8, chain_check = $9, chain_checked_at = $10, released_at = $11, note = $12,
            chain_check_reason = $18, cancelled_at = $19
      where id = $1 returning *
   )
   insert into withdrawal_event (withdrawal_id, status, verb, at, by_type, by_id, note)
   select id, status, $13, $14, $15, $16, $17 from moved`,
);
const USED = prepared(
  `select coalesce(sum(amount), 0) as used from withdrawal as counted
    where user_id = $1 and created_at > $2 and ${COUNTED}`,
);
const PAID = prepared(
  `select (select count(*)::int from withdrawal
            where tx_hash = $1 and lower(to_address) = lower($2) and amount = $3 and chain_check = 'matched')
        + (select count(*)::int from admin_transaction as booked
            where tx_hash = $1 and type = 'withdrawal' and amount = $3 and chain_check = 'matched'
              and exists (select from wallet
                           where wallet.user_id = booked.user_id and lower(address) = lower($2))) as paid`,
);

/** The rows of withdrawals: everything that locks or writes them is here. */
@Injectable()
export class WithdrawalRecords {
  constructor(private readonly audit: AuditService) {}

  async add(
    tx: Tx,
    wish: { userId: string; amount: Money; currency: string; destination: Destination; createdAt: Date },
    by: Actor,
  ): Promise<Withdrawal> {
    const withdrawal: Omit<Withdrawal, 'recordedAt'> = {
      id: newId(),
      userId: wish.userId,
      amount: wish.amount,
      currency: wish.currency,
      toAddress: wish.destination.address,
      addressChecksum: wish.destination.checksum,
      status: 'pending',
      createdAt: wish.createdAt,
      approvedAt: null,
      approvedBy: null,
      executedAt: null,
      completedAt: null,
      cancelledAt: null,
      txHash: null,
      txHashShared: false,
      chainCheck: null,
      chainCheckReason: null,
      chainCheckedAt: null,
      releasedAt: null,
      note: null,
    };
    const [added] = await tx.query<[{ recordedAt: Date }]>(ADD, [
      withdrawal.id,
      withdrawal.userId,
      withdrawal.amount.toString(),
      withdrawal.currency,
      withdrawal.toAddress,
      withdrawal.addressChecksum,
      withdrawal.status,
      withdrawal.createdAt,
      by.type,
      by.id,
    ]);
    return { ...withdrawal, recordedAt: added.recordedAt };
  }

  /** Locks a withdrawal for the rest of the transaction. Throws WITHDRAWAL_NOT_FOUND. */
  async lock(tx: Tx, id: string): Promise<Withdrawal> {
    return (await this.lockIfThere(tx, id)) ?? fail('WITHDRAWAL_NOT_FOUND');
  }

  async lockIfThere(tx: Tx, id: string): Promise<Withdrawal | null> {
    if (!isId(id)) return null;
    const [row] = await tx.query<(Omit<Withdrawal, 'amount'> & { amount: string })[]>(LOCK, [id]);
    return row ? { ...row, amount: Money.of(row.amount) } : null;
  }

  /** Moves a locked withdrawal on: the one place that writes a status, so that no admin's verb escapes the audit. */
  async move(tx: Tx, withdrawal: Withdrawal, { verb, to, by, at, changes }: Step): Promise<void> {
    const after = { status: to, ...changes };
    const before = Object.fromEntries(
      Object.keys(after).map((field) => [field, withdrawal[field as keyof typeof after]]),
    );
    Object.assign(withdrawal, after);
    await tx.query(MOVE, [
      withdrawal.id,
      withdrawal.status,
      withdrawal.approvedAt,
      withdrawal.approvedBy,
      withdrawal.executedAt,
      withdrawal.completedAt,
      withdrawal.txHash,
      withdrawal.txHashShared,
      withdrawal.chainCheck,
      withdrawal.chainCheckedAt,
      withdrawal.releasedAt,
      withdrawal.note,
      verb,
      at,
      by.type,
      by.id,
      changes.note ?? null,
      withdrawal.chainCheckReason,
      withdrawal.cancelledAt,
    ]);
    if (by.type !== 'admin') return;
    await this.audit.record(
      tx,
      { email: by.id },
      {
        action: `withdrawal.${verb}`,
        subject: { type: 'withdrawal', id: withdrawal.id },
        reason: verb === 'reject' ? (changes.note ?? undefined) : undefined,
        before,
        after,
      },
    );
  }

  /** What a user has withdrawn in the rolling window that ends at `at`. Stable while their balance is locked. */
  async usedBefore(tx: Tx, userId: string, at: Date): Promise<Money> {
    const since = new Date(at.getTime() - LIMIT_WINDOW_MS);
    const [row] = await tx.query<{ used: string }[]>(USED, [userId, since]);
    return Money.of(row?.used ?? '0');
  }

  /** What is matched already with this hash, this amount and this address, or a wallet of that address. */
  async paidBy(tx: Tx, txHash: string, { toAddress, amount }: Withdrawal): Promise<number> {
    const [row] = await tx.query<{ paid: number }[]>(PAID, [txHash, toAddress, amount.toString()]);
    return row?.paid ?? 0;
  }

  async noteChainCheck(
    tx: Tx,
    id: string,
    { chainCheck, reason: chainCheckReason }: ChainCheckResult,
    chainCheckedAt: Date,
  ): Promise<void> {
    await tx.update(Withdrawal, { id }, { chainCheck, chainCheckReason, chainCheckedAt });
  }
}
