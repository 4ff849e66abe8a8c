import { Injectable } from '@nestjs/common';
import type { Snapshot } from '../../../database/snapshots.js';
import type { Language } from '../../../common/message-texts.js';
import { Money } from '../../../common/money.js';
import { untilAsTimestamp, type Moment } from '../../../common/moment.js';
import type { PostingType } from '../../core/ledger/domain/chart-of-accounts.js';
import { describeMovement, toMovementType, type MovementType } from './domain/statement-texts.js';

/** A posting that changes the user's available or reserved balance. */
export interface Movement {
  /** Domain time. */
  readonly at: Date;
  readonly type: MovementType;
  readonly referenceType: string;
  readonly referenceId: string;
  readonly description: string;
  /** Changes of the available and of the reserved balance. */
  readonly available: Money;
  readonly reserved: Money;
  /** The hash of the transaction on chain that paid a withdrawal; null for other movements. */
  readonly txHash: string | null;
  /** The destination of a paid withdrawal; null for other movements and for a withdrawal that was booked by hand. */
  readonly toAddress: string | null;
}

type MovementRow = Omit<Movement, 'type' | 'available' | 'reserved'> & {
  readonly type: PostingType;
  readonly strategyId: string | null;
  readonly counterAccount: string | null;
  readonly available: string;
  readonly reserved: string;
};

const ROWS_PER_BATCH = 500;

const ENTRIES = `select entry.id, entry.effective_at, entry.transaction_id, entry.account_id, entry.amount
                   from ledger_entry as entry
                  where entry.effective_at >= $2 and entry.effective_at < $3 and account_id = `;
const accountOf = (kind: string) => `(select id from ledger_account
  where owner_id = $1 and kind = '${kind}' and scope = '' and asset = 'USDC')`;
const isPaid = `posted.type = 'withdrawal-completed'`;

// A posting of fees or of earnings can change the account of the user twice; each entry has a counterpart with the opposite amount on
// another account. If both amounts are equal, the counterparts are taken in their order, so that each counts once.
const COUNTER_ACCOUNT = `
  select account.kind
    from ledger_entry as other
    join ledger_account as account on account.id = other.account_id
   where other.transaction_id = entry.transaction_id and other.amount = -entry.amount
     and other.account_id <> entry.account_id
   order by account.kind
   limit 1
  offset (select count(*) from ledger_entry as earlier
           where earlier.transaction_id = entry.transaction_id and earlier.account_id = entry.account_id
             and earlier.amount = entry.amount and earlier.id < entry.id)`;

// Every entry of the available balance, and of the reserved balance only payments: its other entries are the opposite of entries of
// the available balance in the same posting. The ledger does not have the hash of a payment: `withdrawal` or `admin_transaction`, of
// the modules withdrawals and treasury, has it. `investment` has the strategy.
const MOVEMENTS = `
  select entry.effective_at as at, posted.type, posted.reference_type as "referenceType",
         posted.reference_id as "referenceId", posted.description, available, reserved,
         case when posted.reference_type = 'investment' then
           (select strategy_id from investment where id = split_part(posted.reference_id, ':', 1)::uuid) end as "strategyId",
         case when posted.type in ('fee', 'earning') then (${COUNTER_ACCOUNT}) end as "counterAccount",
         case when ${isPaid} then
           case posted.reference_type
             when 'withdrawal' then (select tx_hash from withdrawal where id = posted.reference_id::uuid)
             when 'admin-transaction' then (select tx_hash from admin_transaction where id = posted.reference_id::uuid)
           end end as "txHash",
         case when ${isPaid} and posted.reference_type = 'withdrawal' then
           (select to_address from withdrawal where id = posted.reference_id::uuid) end as "toAddress"
    from (select moved.*, true as is_available from (${ENTRIES} ${accountOf('user.available')}) as moved
          union all
          select moved.*, false from (${ENTRIES} ${accountOf('user.reserved')}) as moved) as entry
    join ledger_transaction as posted on posted.id = entry.transaction_id
   cross join lateral (
     select case when is_available then entry.amount else 0 end as available,
            case when not is_available then entry.amount
                 when posted.type in ('withdrawal-requested', 'withdrawal-released') then -entry.amount
                 else 0 end as reserved) as change
   where is_available or ${isPaid}
   order by entry.effective_at, entry.id`;

const COUNT = `select count(*)::int as count from (${MOVEMENTS} limit $4) as movement`;

/** Reads the tables of the modules ledger, investments, withdrawals and treasury. */
@Injectable()
export class StatementsRepository {
  /** The movements in USDC at `from` or later and before `to.until`, in batches, the oldest first. `texts.nameOf` names a strategy. */
  async *streamMovements(
    snapshot: Snapshot,
    userId: string,
    from: Date,
    to: Moment,
    texts: { readonly language: Language; readonly nameOf: (strategyId: string) => string },
  ): AsyncGenerator<Movement[], void> {
    const parameters = [userId, from, untilAsTimestamp(to)];
    for await (const rows of snapshot.batches<MovementRow>(MOVEMENTS, parameters, ROWS_PER_BATCH))
      yield rows.map((row) => {
        const available = Money.of(row.available);
        return {
          ...row,
          description: describeMovement({ ...row, available }, texts.language, texts.nameOf),
          type: toMovementType(row.type),
          available,
          reserved: Money.of(row.reserved),
        };
      });
  }

  /** The number of movements, at most `limit`. */
  async countMovements(
    snapshot: Snapshot,
    userId: string,
    from: Date,
    to: Moment,
    limit: number,
  ): Promise<number> {
    const parameters = [userId, from, untilAsTimestamp(to), limit];
    const [row] = await snapshot.query<{ count: number }>(COUNT, parameters);
    return row?.count ?? 0;
  }
}
