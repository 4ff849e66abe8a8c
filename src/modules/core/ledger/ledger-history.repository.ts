import { Injectable } from '@nestjs/common';
import { prepared } from '../../../database/prepared.js';
import type { Snapshot } from '../../../database/snapshots.js';
import { Money } from '../../../common/money.js';
import { untilAsTimestamp, type Moment } from '../../../common/moment.js';
import type { UserFunds } from './ledger.repository.js';

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
