import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository, SelectQueryBuilder } from 'typeorm';
import { AppConfig } from '../../config/app-config.js';
import { EnvelopedResponse } from '../../http/response/enveloped-response.js';
import { offsetOf, paginate } from '../../http/request/pagination.js';
import { instantRange } from '../../http/request/date-range.js';
import { Clock } from '../../common/clock.js';
import { MICRO_SCALE, Money } from '../../common/money.js';
import { Deposit } from './entities/deposit.entity.js';
import {
  toDepositResponse,
  type DepositSummaryResponse,
  type DepositResponse,
} from './dto/deposit.response.js';
import type { DEPOSIT_SORTS, DepositListQuery } from './dto/deposits.request.js';

const COLUMNS: Record<(typeof DEPOSIT_SORTS)[number], string> = {
  createdAt: 'deposit.createdAt',
  amount: 'deposit.amount',
  confirmations: 'deposit.confirmations',
};

interface Totals {
  total: string;
  completed: string;
  pending: string;
}

@Injectable()
export class DepositQueries {
  constructor(
    @InjectRepository(Deposit) private readonly deposits: Repository<Deposit>,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  /** A page of a user's deposits, with the totals of all that match. */
  async listOf(userId: string, query: DepositListQuery): Promise<EnvelopedResponse<DepositResponse[]>> {
    const direction = query.orderBy === 'asc' ? 'ASC' : 'DESC';
    const page = this.matching(userId, query)
      .orderBy(COLUMNS[query.sortBy], direction)
      .addOrderBy('deposit.id', direction)
      .offset(offsetOf(query))
      .limit(query.limit);
    const [rows, totals] = await Promise.all([page.getMany(), this.totals(userId, query)]);
    return new EnvelopedResponse(
      rows.map((row) => toDepositResponse(row, this.config)),
      {
        pagination: { ...paginate(query.page, query.limit, Number(totals.total)) },
        summary: summaryOf(totals, query.currency ?? 'USDC'),
      },
    );
  }

  private matching(userId: string, query: DepositListQuery): SelectQueryBuilder<Deposit> {
    const { from, to } = instantRange(query, this.clock.now());
    const rows = this.deposits.createQueryBuilder('deposit').where('deposit.userId = :userId', { userId });
    if (query.status) rows.andWhere('deposit.status = :status', { status: query.status });
    if (query.currency) rows.andWhere('deposit.currency = :currency', { currency: query.currency });
    if (from) rows.andWhere('deposit.createdAt >= :from', { from });
    if (to) rows.andWhere('deposit.createdAt < :to', { to });
    return rows;
  }

  /** With a currency: as received. Without one: in USDC, as it is or will be credited, ETH left out. */
  private async totals(userId: string, query: DepositListQuery): Promise<Totals> {
    const value = query.currency
      ? 'trunc(deposit.amount, 6)'
      : `case deposit.currency when 'ETH' then 0 when 'USDC' then trunc(deposit.amount, 6)
           else coalesce(deposit.credited, trunc(trunc(deposit.amount, 6) * :rate, 6)) end`;
    const totals = await this.matching(userId, query)
      .setParameter('rate', this.config.USDT_USDC_RATE.toString())
      .select('count(*)', 'total')
      .addSelect(`coalesce(sum(${value}) filter (where deposit.status = 'completed'), 0)`, 'completed')
      .addSelect(
        `coalesce(sum(${value}) filter (
           where not deposit.onlyClaimed and deposit.status in ('pending', 'confirming')
             and deposit.holdReason is distinct from 'BOOKED_BY_HAND'), 0)`,
        'pending',
      )
      .getRawOne<Totals>();
    return totals ?? { total: '0', completed: '0', pending: '0' };
  }
}

function summaryOf(totals: Totals, currency: string): DepositSummaryResponse {
  const [completed, pending] = [totals.completed, totals.pending].map((sum) =>
    Money.of(sum).roundDown(MICRO_SCALE),
  ) as [Money, Money];
  return {
    totalDeposited: completed.plus(pending).toWire(),
    totalCompleted: completed.toWire(),
    totalPending: pending.toWire(),
    currency,
  };
}
