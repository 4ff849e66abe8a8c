import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { addDays, startOfDay, type Day } from '../../../common/days.js';
import { MICRO_SCALE, Money } from '../../../common/money.js';
import type { Stored } from '../../../database/columns/money.column.js';
import { findRow, findRows, insertIfNew, withNulls } from '../../../database/entity-rows.js';
import { countFromTotals } from '../../../lists/count-rows.js';
import { markHours } from '../../../lists/total-marks.js';
import type { Tx } from '../../../database/unit-of-work.js';
import type { SummedRows } from '../../../http/request/pagination.js';
import { findEntityPage, listFilter } from '../../../lists/find-page.js';
import { byTime, type PageRequest } from '../../../lists/list-page.js';
import type { ChainTransaction } from '../../providers/chain/chain.client.js';
import { PACE_DAYS, startOfPeriod, type Nonces } from './domain/payouts.js';
import { FaucetAccount, FaucetPayout, FaucetTurn } from './entities/faucet.entity.js';
import type { FaucetFigures, PayoutOrder, PromisedAmounts, SignedTransfer } from './faucet.types.js';

type NewPayout = Pick<FaucetPayout, 'id' | 'requestedAt' | 'sender'> & PayoutOrder & SignedTransfer;

// The aggregates return one row even if the account is not stored yet.
const NONCES = `select coalesce(max(next_nonce), 0)::int as next, coalesce(max(signatures), 0)::int as signatures,
    array(select nonce::int from faucet_payout where sender = $1 and status = 'pending') as pending
  from faucet_account where address = $1`;

/**
 * Payouts, the cooldowns of addresses (table `faucet_turn`) and the nonces of paying accounts. The caller of `insertPayout` and
 * `replaceTransaction` has locked the paying account (`lockAccount`).
 */
@Injectable()
export class FaucetRepository {
  constructor(@InjectRepository(FaucetPayout) private readonly payouts: Repository<FaucetPayout>) {}

  async getNonces(sender: string): Promise<Nonces> {
    const [nonces] = await this.payouts.query<[Nonces]>(NONCES, [sender]);
    return nonces;
  }

  /**
   * Locks a paying account until the transaction ends, so that its payouts are signed one at a time. Returns its nonces, read
   * under the lock.
   */
  async lockAccount(tx: Tx, sender: string): Promise<Nonces> {
    await insertIfNew(tx, FaucetAccount, { address: sender, nextNonce: 0, signatures: 0 });
    // The nonces are read by a statement of their own: it sees rows that were committed while this one waited for the lock.
    await findRow(tx, FaucetAccount, 'where address = $1 for update', [sender]);
    const [nonces] = await tx.query<[Nonces]>(NONCES, [sender]);
    return nonces;
  }

  /** Sums the pending payouts, and the pending and completed ones that were requested today. */
  async sumPromisedAmounts(tx: Tx, startOfToday: Date): Promise<PromisedAmounts> {
    const [row] = await tx.query<[Stored<PromisedAmounts>]>(
      `select coalesce(sum(amount) filter (where status = 'pending'), 0) as pending,
              count(*) filter (where status = 'pending')::int as "pendingCount",
              coalesce(sum(amount) filter (where requested_at >= $1), 0) as today
         from faucet_payout where status = 'pending' or (requested_at >= $1 and status = 'completed')`,
      [startOfToday],
    );
    return { ...row, pending: Money.of(row.pending), today: Money.of(row.today) };
  }

  async insertPayout(tx: Tx, payout: NewPayout): Promise<FaucetPayout> {
    await this.recordSignature(tx, payout.sender, payout);
    const inserted = withNulls(tx, FaucetPayout, { ...payout, status: 'pending' });
    await tx.insert(FaucetPayout, inserted);
    markHours(tx, 'faucet_payout', inserted.requestedAt);
    return inserted;
  }

  lockPayout(tx: Tx, id: string): Promise<FaucetPayout> {
    return tx.findOneOrFail(FaucetPayout, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /** Stores the transaction with which a payout was signed again. */
  async replaceTransaction(
    tx: Tx,
    payout: FaucetPayout,
    sender: string,
    signed: SignedTransfer,
  ): Promise<FaucetPayout> {
    await this.recordSignature(tx, sender, signed);
    await tx.update(FaucetPayout, payout.id, { sender, ...signed });
    return { ...payout, sender, ...signed };
  }

  async settlePayout(
    tx: Tx,
    payout: FaucetPayout,
    { succeeded, blockNumber, gasUsed, gasPrice }: ChainTransaction,
    settledAt: Date,
  ): Promise<FaucetPayout> {
    const status: FaucetPayout['status'] = succeeded ? 'completed' : 'failed';
    const settled = { status, blockNumber, gasUsed, gasPrice, settledAt };
    await tx.update(FaucetPayout, payout.id, settled);
    return { ...payout, ...settled };
  }

  /** Pending payouts in the order in which the chain can mine them. */
  findPendingPayouts(limit: number): Promise<FaucetPayout[]> {
    const minable = `where status = 'pending' order by sender, nonce limit $1`;
    return findRows(this.payouts.manager, FaucetPayout, minable, [limit]);
  }

  /** The newest payouts first. */
  async findPayoutsPage(request: PageRequest): Promise<SummedRows<FaucetPayout>> {
    const { manager } = this.payouts;
    const [page, counted] = await Promise.all([
      findEntityPage(manager, FaucetPayout, listFilter(), byTime('requested_at', 'id'), request),
      countFromTotals(manager.connection, { list: 'faucet_payout', facets: [] }),
    ]);
    return { ...page, ...counted };
  }

  async getFigures(today: Day): Promise<FaucetFigures> {
    const [row] = await this.payouts.query<[Stored<FaucetFigures>]>(
      `select coalesce(sum(amount) filter (where status = 'completed'), 0) as "totalDistributed",
              count(*)::int as "totalRequests",
              count(distinct wallet_address)::int as "uniqueAddresses",
              max(requested_at) filter (where status = 'completed') as "lastDistribution",
              coalesce(avg(amount), 0) as "averageRequestAmount",
              coalesce(sum(amount) filter (where requested_at >= $1), 0) as "distributedToday",
              coalesce(sum(amount) filter (where requested_at >= $2), 0) as "distributedLately"
         from faucet_payout where status <> 'failed'`,
      [startOfDay(today), startOfDay(addDays(today, 1 - PACE_DAYS))],
    );
    return {
      ...row,
      totalDistributed: Money.of(row.totalDistributed),
      averageRequestAmount: Money.of(row.averageRequestAmount).roundHalfEven(MICRO_SCALE),
      distributedToday: Money.of(row.distributedToday),
      distributedLately: Money.of(row.distributedLately),
    };
  }

  /** When test USDC was last requested for an address; undefined if this was never done, or if the payout has failed. */
  async findLastRequest(walletAddress: string): Promise<Date | undefined> {
    const turn = await this.payouts.manager.findOneBy(FaucetTurn, { walletAddress });
    return turn?.takenAt;
  }

  /**
   * Starts the cooldown of an address unless one is running; of concurrent requests one succeeds. Returns the time of
   * the last request if a cooldown is running.
   */
  async startCooldown(
    tx: Tx,
    { walletAddress, payoutId, at }: { walletAddress: string; payoutId: string; at: Date },
  ): Promise<Date | undefined> {
    const started = await tx.query<unknown[]>(
      `insert into faucet_turn as turn (wallet_address, payout_id, taken_at) values ($1, $2, $3)
       on conflict (wallet_address) do update set payout_id = excluded.payout_id, taken_at = excluded.taken_at
         where turn.taken_at <= $4
       returning wallet_address`,
      [walletAddress, payoutId, at, startOfPeriod(at)],
    );
    if (started.length > 0) return undefined;
    const { takenAt } = await tx.findOneByOrFail(FaucetTurn, { walletAddress });
    return takenAt;
  }

  async deleteCooldown(tx: Tx, payoutId: string): Promise<void> {
    await tx.delete(FaucetTurn, { payoutId });
  }

  private async recordSignature(tx: Tx, sender: string, { nonce }: SignedTransfer): Promise<void> {
    const taken = { nextNonce: nonce + 1, signatures: () => 'signatures + 1' };
    await tx.update(FaucetAccount, { address: sender }, taken);
  }
}
