import { Injectable } from '@nestjs/common';
import { prepared } from '../../database/prepared.js';
import { afterCommit, type Tx } from '../../database/unit-of-work.js';
import { fail } from '../../common/errors/domain-error.js';
import { newId } from '../../common/ids.js';
import { Money } from '../../common/money.js';
import { Meters } from '../../observability/meters.js';
import { USDC } from './chart-of-accounts.js';
import type { Posting } from './posting.js';

/** The only way to move money. */
@Injectable()
export class LedgerService {
  constructor(private readonly meters: Meters) {}

  /**
   * Posts one or more facts in one round trip. Throws INSUFFICIENT_BALANCE when a user's account would go below
   * zero, and fails on a fact that was posted before (constraint `ledger_transaction_fact`).
   */
  async post(tx: Tx, ...postings: Posting[]): Promise<void> {
    const moving = postings.filter((posting) => posting.entries.length > 0);
    if (moving.length === 0) return;
    await tx.query(prepared('select ledger_post($1)'), [JSON.stringify(moving.map(asJson))]);
    afterCommit(tx, () => moving.forEach(({ type }) => this.meters.count('posting', type)));
  }

  /**
   * Locks a user's free balance for the rest of the transaction and tells it. Whoever decides on it locks it
   * first: of two that spend the same money the second one waits and then sees what is left.
   */
  async lockAvailable(tx: Tx, userId: string, asset: string = USDC): Promise<Money> {
    const [account] = (await tx.query(
      prepared(`select balance from ledger_account
        where owner_id = $1 and kind = 'user.available' and scope = '' and asset = $2 for update`),
      [userId, asset],
    )) as { balance: string }[];
    return account ? Money.of(account.balance) : Money.ZERO;
  }

  /** Locks the free balance and refuses with INSUFFICIENT_BALANCE when it is below `amount`. */
  async requireAvailable(tx: Tx, userId: string, amount: Money): Promise<void> {
    const available = await this.lockAvailable(tx, userId);
    if (available.isLessThan(amount)) {
      fail('INSUFFICIENT_BALANCE', {
        available: available.toWire(),
        requested: amount.toWire(),
        shortfall: amount.minus(available).toWire(),
      });
    }
  }
}

function asJson(posting: Posting): Record<string, unknown> {
  return {
    id: newId(),
    type: posting.type,
    referenceType: posting.reference.type,
    referenceId: posting.reference.id,
    at: posting.at.toISOString(),
    description: posting.description,
    entries: posting.entries.map(({ account, amount }) => ({
      ...account,
      amount: amount.toString(),
      category: posting.category,
    })),
  };
}
