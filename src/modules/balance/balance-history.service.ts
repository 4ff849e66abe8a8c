import { Injectable } from '@nestjs/common';
import { dayRange, failTooLong } from '../../http/request/date-range.js';
import { Clock } from '../../common/clock.js';
import { addDays, dayOf } from '../../common/days.js';
import { endOf } from '../../common/moment.js';
import type { BalanceHistoryQuery } from './dto/balance-history.request.js';
import { BalanceHistory, type Standing } from './balance-history.queries.js';
import { toBalanceDayResponse, type BalanceDayResponse } from './dto/balance-history.response.js';
import { endsOf } from './intervals.js';

const DEFAULT_DAYS = 30;
const MOST_POINTS = 1100; // three years of days

/** The balance as it was, interval by interval. */
@Injectable()
export class BalanceHistoryService {
  constructor(
    private readonly history: BalanceHistory,
    private readonly clock: Clock,
  ) {}

  /** The oldest first. Throws INVALID_DATE_RANGE. */
  async list(userId: string, query: BalanceHistoryQuery): Promise<BalanceDayResponse[]> {
    const now = this.clock.now();
    const { from, to } = dayRange(query, now, { lastDays: DEFAULT_DAYS });
    const days = endsOf(from, to, query.interval, MOST_POINTS) ?? failTooLong(`${MOST_POINTS} intervals`);
    const before = addDays(from, -1);
    const standings = await this.history.at(
      userId,
      [before, ...days].map((day) => endOf(day, dayOf(now))),
    );
    return days.map((_, place) =>
      toBalanceDayResponse(standings[place] as Standing, standings[place + 1] as Standing),
    );
  }
}
