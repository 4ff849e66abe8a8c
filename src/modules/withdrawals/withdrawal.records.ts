import { Injectable } from '@nestjs/common';
import type { Tx } from '../../database/unit-of-work.js';
import { fail } from '../../kernel/errors/domain-error.js';
import { isId, newId } from '../../kernel/ids.js';
import { Money } from '../../kernel/money.js';
import { AuditLog } from '../audit/audit-log.js';
import type { ChainCheck } from '../blockchain/chain-check.js';
import { lockTxHash } from '../blockchain/tx-hash-lock.js';
import type { Destination } from './withdrawal-address.js';
import { WithdrawalEventEntity } from './withdrawal-event.entity.js';
import { WithdrawalEntity } from './withdrawal.entity.js';
import type { WithdrawalStatus, WithdrawalVerb } from './withdrawal.transitions.js';

/** Who acts on a withdrawal: a user by id, an admin by e-mail address, a provider by name. */
export interface Actor {
  readonly type: 'user' | 'admin' | 'provider';
  readonly id: string;
}

/** What a transition writes beside the status. */
export type Changes = Partial<
  Pick<
    WithdrawalEntity,
    | 'approvedAt'
    | 'approvedBy'
    | 'executedAt'
    | 'completedAt'
    | 'txHash'
    | 'txHashShared'
    | 'chainCheck'
    | 'chainCheckedAt'
    | 'releasedAt'
    | 'note'
  >
>;

/** What has a hash already: a withdrawal, or what admins have booked by hand. */
export interface TxHashHolder {
  readonly type: 'withdrawal' | 'transaction';
  readonly id: string;
}

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

/** Whose money is held still: a failed one's until it is released (D42). SQL over `withdrawal`. */
export const HOLDS_MONEY = `withdrawal.status in ('pending', 'approved', 'processing', 'failed')
  and withdrawal.released_at is null`;

/** The rows of withdrawals: everything that locks or writes them is here. */
@Injectable()
export class WithdrawalRecords {
  constructor(private readonly audit: AuditLog) {}

  async add(
    tx: Tx,
    wish: { userId: string; amount: Money; currency: string; destination: Destination; createdAt: Date },
    by: Actor,
  ): Promise<WithdrawalEntity> {
    const withdrawal = tx.create(WithdrawalEntity, {
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
      txHash: null,
      txHashShared: false,
      chainCheck: null,
      chainCheckedAt: null,
      releasedAt: null,
      note: null,
    });
    await tx.insert(WithdrawalEntity, withdrawal);
    await this.note(tx, withdrawal, 'request', by, withdrawal.createdAt, null);
    return withdrawal;
  }

  /** Locks a withdrawal for the rest of the transaction. Throws WITHDRAWAL_NOT_FOUND. */
  async lock(tx: Tx, id: string): Promise<WithdrawalEntity> {
    return (await this.lockIfThere(tx, id)) ?? fail('WITHDRAWAL_NOT_FOUND');
  }

  async lockIfThere(tx: Tx, id: string): Promise<WithdrawalEntity | null> {
    if (!isId(id)) return null;
    return tx.findOne(WithdrawalEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /** Moves a locked withdrawal on: the one place that writes a status, so that no admin's verb escapes the audit. */
  async move(tx: Tx, withdrawal: WithdrawalEntity, { verb, to, by, at, changes }: Step): Promise<void> {
    const after = { status: to, ...changes };
    const before = Object.fromEntries(
      Object.keys(after).map((field) => [field, withdrawal[field as keyof typeof after]]),
    );
    Object.assign(withdrawal, after);
    await tx.update(WithdrawalEntity, { id: withdrawal.id }, after);
    await this.note(tx, withdrawal, verb, by, at, changes.note ?? null);
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
    const [row] = await tx.query<{ used: string }[]>(
      `select coalesce(sum(amount), 0) as used from withdrawal as counted
        where user_id = $1 and created_at > $2 and ${COUNTED}`,
      [userId, new Date(at.getTime() - LIMIT_WINDOW_MS)],
    );
    return Money.of(row?.used ?? '0');
  }

  /** Makes others that book this hash wait, then tells what has it: the first withdrawal, or what admins booked by hand. */
  async holderOf(tx: Tx, txHash: string): Promise<TxHashHolder | undefined> {
    await lockTxHash(tx, txHash);
    const [holder] = await tx.query<TxHashHolder[]>(
      `select 'withdrawal' as type, id from withdrawal where tx_hash = $1 and not tx_hash_shared
       union all select 'transaction', id from admin_transaction where tx_hash = $1`,
      [txHash],
    );
    return holder;
  }

  /** What is matched already with this hash, this amount and this address, or a wallet of that address. */
  async paidBy(tx: Tx, txHash: string, { toAddress, amount }: WithdrawalEntity): Promise<number> {
    const [row] = await tx.query<{ paid: number }[]>(
      `select (select count(*)::int from withdrawal
                where tx_hash = $1 and lower(to_address) = lower($2) and amount = $3 and chain_check = 'matched')
            + (select count(*)::int from admin_transaction as booked
                where tx_hash = $1 and type = 'withdrawal' and amount = $3 and chain_check = 'matched'
                  and exists (select from wallet
                               where wallet.user_id = booked.user_id and lower(address) = lower($2))) as paid`,
      [txHash, toAddress, amount.toString()],
    );
    return row?.paid ?? 0;
  }

  async noteChainCheck(tx: Tx, id: string, chainCheck: ChainCheck, chainCheckedAt: Date): Promise<void> {
    await tx.update(WithdrawalEntity, { id }, { chainCheck, chainCheckedAt });
  }

  private async note(
    tx: Tx,
    { id, status }: WithdrawalEntity,
    verb: WithdrawalVerb | 'request',
    by: Actor,
    at: Date,
    note: string | null,
  ): Promise<void> {
    const event = { withdrawalId: id, status, verb, at, byType: by.type, byId: by.id, note };
    await tx.insert(WithdrawalEventEntity, event);
  }
}
