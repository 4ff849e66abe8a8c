import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { countFromTotals } from '../../database/count-rows.js';
import { offsetOf, type Rows } from '../../http/request/pagination.js';
import { addDays, startOfDay, type Day } from '../../common/days.js';
import { MICRO_SCALE, Money } from '../../common/money.js';
import { PAYOUT, payoutOf, type Payout, type PayoutRow } from './payout.js';

export const PACE_DAYS = 7;

export interface FaucetFigures {
  readonly totalDistributed: Money;
  readonly totalRequests: number;
  readonly uniqueAddresses: number;
  readonly lastDistribution: Date | null;
  readonly averageRequestAmount: Money;
  readonly distributedToday: Money;
  /** In the last seven days, today included. */
  readonly distributedLately: Money;
}

/** What is read of payouts. */
@Injectable()
export class FaucetQueries {
  constructor(private readonly dataSource: DataSource) {}

  /** The newest first. */
  async history(page: { page: number; limit: number }): Promise<Rows<Payout>> {
    const [rows, total] = await Promise.all([
      this.dataSource.query<PayoutRow[]>(
        `select ${PAYOUT} from faucet_payout order by faucet_payout.requested_at desc, id desc limit $1 offset $2`,
        [page.limit, offsetOf(page)],
      ),
      countFromTotals(this.dataSource, {
        list: 'faucet_payout',
        facets: [],
      }),
    ]);
    return { rows: rows.map(payoutOf), total };
  }

  /** All figures in one snapshot. A payout that failed counts nowhere; one under way counts but as distributed in total. */
  async figures(today: Day): Promise<FaucetFigures> {
    const [row] = await this.dataSource.query<[Record<keyof FaucetFigures, never>]>(
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
      totalDistributed: Money.of(row.totalDistributed),
      totalRequests: row.totalRequests,
      uniqueAddresses: row.uniqueAddresses,
      lastDistribution: row.lastDistribution,
      averageRequestAmount: Money.of(row.averageRequestAmount).roundHalfEven(MICRO_SCALE),
      distributedToday: Money.of(row.distributedToday),
      distributedLately: Money.of(row.distributedLately),
    };
  }
}
