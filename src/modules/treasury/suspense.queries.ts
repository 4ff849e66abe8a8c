import { Injectable } from '@nestjs/common';
import type { Tx } from '../../database/unit-of-work.js';
import { MICRO_SCALE, Money } from '../../common/money.js';

@Injectable()
export class SuspenseQueries {
  /**
   * USDC in suspense that waits for no deposit's minimum: what is held for somebody is not given to somebody else
   *. Others that ask for it wait until the transaction ends.
   */
  async lockUnclaimed(tx: Tx): Promise<Money> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('suspense', 0))`);
    const [row] = await tx.query<{ unclaimed: string }[]>(
      `select coalesce((select sum(entry.amount) from ledger_entry as entry
                          join ledger_account as account on account.id = entry.account_id
                         where account.kind = 'suspense' and account.asset = 'USDC'
                           and account.owner_id = '00000000-0000-0000-0000-000000000000'), 0)
            - coalesce((select sum(trunc(amount, ${MICRO_SCALE})) from deposit
                         where hold_reason = 'BELOW_MINIMUM' and currency = 'USDC'), 0) as unclaimed`,
    );
    return Money.of(row?.unclaimed ?? '0');
  }
}
