import { Money } from '../../common/money.js';
import type { ChainCheck, ChainCheckReason } from '../blockchain/domain/chain-check.js';
import type { ComplianceFigures } from '../users/domain/compliance.js';
import type { UserStatus } from '../users/users.types.js';
import type { AddressChecksum } from './domain/destination.js';
import { COUNTED } from './withdrawals.repository.js';
import type { WithdrawalAction, WithdrawalStatus } from './domain/withdrawal.state-machine.js';

/** A withdrawal as admins see it, with whose it is. */
export interface AdminWithdrawal {
  readonly id: string;
  readonly userId: string;
  readonly userEmail: string;
  readonly userStatus: UserStatus;
  readonly accountCreatedAt: Date;
  readonly walletAddress: string | null;
  readonly amount: Money;
  readonly currency: string;
  readonly toAddress: string;
  readonly addressChecksum: AddressChecksum;
  readonly status: WithdrawalStatus;
  readonly createdAt: Date;
  readonly approvedAt: Date | null;
  readonly approvedBy: string | null;
  readonly executedAt: Date | null;
  readonly completedAt: Date | null;
  readonly cancelledAt: Date | null;
  readonly txHash: string | null;
  readonly chainCheck: ChainCheck | null;
  readonly chainCheckReason: ChainCheckReason | null;
  readonly releasedAt: Date | null;
  readonly note: string | null;
}

export interface QueuedWithdrawal extends AdminWithdrawal {
  /** What the user has withdrawn in the last 24 hours, this one included. */
  readonly usedToday: Money;
  readonly available: Money;
  readonly invested: Money;
  readonly compliance: ComplianceFigures;
}

export interface WithdrawalStep {
  readonly status: WithdrawalStatus;
  readonly action: WithdrawalAction;
  readonly at: Date;
  readonly by: string;
  readonly note: string | null;
}

export interface WithdrawalDetail extends AdminWithdrawal {
  readonly usedToday: Money;
  /** All that the user was ever paid out. */
  readonly lifetimeWithdrawn: Money;
  readonly compliance: ComplianceFigures;
  readonly lifecycle: readonly WithdrawalStep[];
}

/** A row as the driver has it: money is text. */
export type Stored<Row> = { [Field in keyof Row]: Row[Field] extends Money ? string : Row[Field] };

export type StoredQueued = Stored<Omit<QueuedWithdrawal, 'compliance'>>;
export type StoredDetail = Stored<Omit<WithdrawalDetail, 'compliance' | 'lifecycle'>>;

/** Columns of an `AdminWithdrawal`. */
export const COLUMNS = `
  w.id, w.user_id as "userId", owner.email as "userEmail", owner.status as "userStatus", owner.created_at as "accountCreatedAt",
  first_wallet(w.user_id) as "walletAddress", w.amount, w.currency, w.to_address as "toAddress",
  w.address_checksum as "addressChecksum", w.status, w.created_at as "createdAt",
  w.approved_at as "approvedAt", w.approved_by as "approvedBy", w.executed_at as "executedAt",
  w.completed_at as "completedAt", w.cancelled_at as "cancelledAt", w.tx_hash as "txHash", w.chain_check as "chainCheck",
  w.chain_check_reason as "chainCheckReason",
  w.released_at as "releasedAt", w.note`;

export const FROM = 'withdrawal as w join platform_user as owner on owner.id = w.user_id';

/** What the owner has withdrawn since the instant of the parameter; a row's own window of the daily limit. */
export function usedSince(parameter: string): string {
  return `(select coalesce(sum(counted.amount), 0) from withdrawal as counted
            where counted.user_id = w.user_id and counted.created_at > ${parameter} and ${COUNTED})`;
}

/** A balance of the owner, from the ledger. */
export function balanceOf(kind: 'user.available' | 'user.invested'): string {
  return `coalesce((select balance from ledger_account
            where owner_id = w.user_id and kind = '${kind}' and scope = '' and asset = 'USDC'), 0)`;
}

export function asAdminWithdrawal(row: Stored<AdminWithdrawal>): AdminWithdrawal {
  return { ...row, amount: Money.of(row.amount) };
}

export function asQueued(row: StoredQueued, compliance: ComplianceFigures): QueuedWithdrawal {
  return {
    ...row,
    amount: Money.of(row.amount),
    usedToday: Money.of(row.usedToday),
    available: Money.of(row.available),
    invested: Money.of(row.invested),
    compliance,
  };
}

export function asDetail(
  row: StoredDetail,
  compliance: ComplianceFigures,
  lifecycle: readonly WithdrawalStep[],
): WithdrawalDetail {
  return {
    ...row,
    amount: Money.of(row.amount),
    usedToday: Money.of(row.usedToday),
    lifetimeWithdrawn: Money.of(row.lifetimeWithdrawn),
    compliance,
    lifecycle,
  };
}
