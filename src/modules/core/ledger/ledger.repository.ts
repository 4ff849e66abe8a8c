import { Injectable } from '@nestjs/common';
import { newId } from '../../../common/ids.js';
import { untilAsTimestamp, type Moment } from '../../../common/moment.js';
import { Money } from '../../../common/money.js';
import { prepared } from '../../../database/prepared.js';
import type { Snapshot } from '../../../database/snapshots.js';
import { read, write } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import type { Posting } from './domain/chart-of-accounts.js';

/** The balances and sums of a user in USDC. `available` = deposits − withdrawals − invested + earnings − fees. */
export interface UserFunds {
  available: Money;
  invested: Money;
  reserved: Money;
  deposits: Money;
  /** Paid out, or reserved for withdrawals in progress. */
  withdrawals: Money;
  /** Realised growth, less what cancellations have taken back; negative for a loss. */
  earnings: Money;
  fees: Money;
  /** Domain time of the last entry of available, invested or reserved; null without entries. */
  lastMovedAt: Date | null;
}

type AmountField = Exclude<keyof UserFunds, 'lastMovedAt'>;

/**
 * Selects the `UserFundsRow` of the user $1. For a user without accounts all amounts are zero and `lastMovedAt` is null. The sums by
 * category count the entries of the available balance alone.
 */
export const USER_FUNDS_SQL = `
  select coalesce(max(balance) filter (where kind = 'user.available'), 0) as available,
         coalesce(max(balance) filter (where kind = 'user.invested'), 0) as invested,
         coalesce(max(balance) filter (where kind = 'user.reserved'), 0) as reserved,
         coalesce(sum(moved.deposits), 0) as deposits,
         coalesce(-sum(moved.withdrawals), 0) as withdrawals,
         coalesce(sum(moved.earnings), 0) as earnings,
         coalesce(-sum(moved.fees), 0) as fees,
         max((select max(effective_at) from ledger_entry where account_id = account.id)) as "lastMovedAt"
    from ledger_account as account
    left join lateral (
      select sum(amount) filter (where category = 'deposit') as deposits,
             sum(amount) filter (where category = 'withdrawal') as withdrawals,
             sum(amount) filter (where category = 'earning') as earnings,
             sum(amount) filter (where category = 'fee') as fees
        from ledger_entry where account_id = account.id
    ) as moved on account.kind = 'user.available'
   where owner_id = $1 and asset = 'USDC'`;

/** `UserFunds` as the driver returns them: amounts are text. */
export type UserFundsRow = Record<AmountField, string> & Pick<UserFunds, 'lastMovedAt'>;

export function userFunds(row: UserFundsRow): UserFunds {
  return {
    available: Money.of(row.available),
    invested: Money.of(row.invested),
    reserved: Money.of(row.reserved),
    deposits: Money.of(row.deposits),
    withdrawals: Money.of(row.withdrawals),
    earnings: Money.of(row.earnings),
    fees: Money.of(row.fees),
    lastMovedAt: row.lastMovedAt,
  };
}

/** Sends postings to the SQL function `ledger_post`, and locks balances. */
@Injectable()
export class LedgerRepository {
  insertPostings(tx: Tx, postings: readonly Posting[]): void {
    write(tx, 'select ledger_post($1)', [JSON.stringify(postings.map(toJson))]);
  }

  /** Locks and reads the available balance. Without an account in the asset the result is zero, and nothing is locked. */
  async lockAvailable(tx: Tx, userId: string, asset: string): Promise<Money> {
    const [account] = await read<{ balance: string }>(
      tx,
      `select balance from ledger_account
        where owner_id = $1 and kind = 'user.available' and scope = '' and asset = $2 for update`,
      [userId, asset],
    );
    return Money.of(account?.balance ?? '0');
  }

  /** The amounts of these deposits that the suspense accounts hold, by the id of the deposit. */
  async sumSuspense(tx: Tx, depositIds: readonly string[]): Promise<Map<string, Money>> {
    const rows = await read<{ id: string; held: string }>(
      tx,
      `select posted.reference_id as id, sum(entry.amount) as held
         from ledger_transaction as posted
         join ledger_entry as entry on entry.transaction_id = posted.id
         join ledger_account as account on account.id = entry.account_id and account.kind = 'suspense'
        where posted.type in ('deposit', 'deposit-held', 'deposit-reversed')
          and posted.reference_type = 'deposit' and posted.reference_id = any($1)
        group by posted.reference_id`,
      [depositIds],
    );
    return new Map(rows.map(({ id, held }) => [id, Money.of(held)]));
  }
}

function toJson(posting: Posting): Record<string, unknown> {
  return {
    id: newId(),
    type: posting.type,
    referenceType: posting.reference.type,
    referenceId: posting.reference.id,
    at: posting.at.toISOString(),
    description: posting.description,
    entries: posting.entries.map(({ account, amount }) => ({
      amount: amount.toString(),
      category: posting.category,
      ...account,
    })),
  };
}

/** A user's funds at a moment in the past. */
export type PastFunds = Omit<UserFunds, 'lastMovedAt'>;

/** The sum of a user's entries of one kind of account and category, from the moment before (exclusive) to a moment (inclusive). */
interface EntrySum {
  /** Index of the moment in the list of moments. */
  momentIndex: number;
  kind: 'user.available' | 'user.invested' | 'user.reserved';
  category: string;
  amount: string;
}

const NO_FUNDS: PastFunds = {
  available: Money.ZERO,
  invested: Money.ZERO,
  reserved: Money.ZERO,
  deposits: Money.ZERO,
  withdrawals: Money.ZERO,
  earnings: Money.ZERO,
  fees: Money.ZERO,
};

// `width_bucket` counts the times in $2 that are not after the entry: 0 means that the first moment includes the entry.
// Parameters: the user, the `until` of each moment, and the last one of these.
const FUNDS_BY_MOMENT = prepared(`
  select "momentIndex", kind, category, sum(amount) as amount
    from (select kind, category, amount, width_bucket(entry.effective_at, $2::timestamptz[]) as "momentIndex"
            from ledger_account as account join ledger_entry as entry on entry.account_id = account.id
           where owner_id = $1 and account.asset = 'USDC'
             and kind in ('user.available', 'user.invested', 'user.reserved')
             and entry.effective_at < $3) as moved
   group by "momentIndex", kind, category`);

/** Reads past funds of users. */
@Injectable()
export class LedgerHistoryRepository {
  /** The funds at each of the moments, from the entries before its `until`. The moments must be in ascending order. */
  async findFundsAt(snapshot: Snapshot, userId: string, moments: readonly Moment[]): Promise<PastFunds[]> {
    const ends = moments.map(untilAsTimestamp);
    const rows = await snapshot.query<EntrySum>(FUNDS_BY_MOMENT, [userId, ends, ends.at(-1)]);
    const sumsByMoment = moments.map((): EntrySum[] => []);
    for (const row of rows) sumsByMoment[row.momentIndex]?.push(row);
    const fundsByMoment: PastFunds[] = [];
    let funds = NO_FUNDS;
    for (const sums of sumsByMoment) {
      funds = sums.reduce(addEntrySum, funds);
      fundsByMoment.push(funds);
    }
    return fundsByMoment;
  }
}

/**
 * Entries that reduce the available balance are negative, but the sums of withdrawals and fees are positive. Entries of the
 * category `investment` change a balance and none of the sums.
 */
function addEntrySum(funds: PastFunds, { kind, category, amount }: EntrySum): PastFunds {
  const moved = Money.of(amount);
  if (kind === 'user.invested') return { ...funds, invested: funds.invested.plus(moved) };
  if (kind === 'user.reserved') return { ...funds, reserved: funds.reserved.plus(moved) };
  const available = funds.available.plus(moved);
  switch (category) {
    case 'deposit':
      return { ...funds, available, deposits: funds.deposits.plus(moved) };
    case 'withdrawal':
      return { ...funds, available, withdrawals: funds.withdrawals.minus(moved) };
    case 'earning':
      return { ...funds, available, earnings: funds.earnings.plus(moved) };
    case 'fee':
      return { ...funds, available, fees: funds.fees.minus(moved) };
    default:
      return { ...funds, available };
  }
}
