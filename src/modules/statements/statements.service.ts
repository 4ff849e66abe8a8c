import { Injectable } from '@nestjs/common';
import { StreamingReads } from '../../database/streaming-reads.js';
import type { Snapshot } from '../../database/snapshots.js';
import type { RawResponse } from '../../http/response/enveloped-response.js';
import { streamResponse } from '../../http/response/streaming.js';
import { currentTrace } from '../../observability/tracing/trace.js';
import { dayRange, type DayRange } from '../../http/request/date-range.js';
import { Clock } from '../../common/clock.js';
import { addDays, dayOf, startOfDay } from '../../common/days.js';
import { endOf, type Moment } from '../../common/moment.js';
import { BalanceHistory, type Standing } from '../balance/balance-history.queries.js';
import { InvestmentHistoryRepository } from '../investments/investment-history.repository.js';
import { LedgerHistory } from '../ledger/ledger-history.queries.js';
import { NavsService } from '../strategies/navs.service.js';
import { STATEMENT_FORMATS } from './statement.formats.js';
import { growthViews, movementViews, toStatementBalanceResponse } from './dto/statement.response.js';
import type { StatementFormat, StatementQuery } from './dto/statements.request.js';

const DEFAULT_DAYS = 30;
const MOST_DAYS = 3660; // ten years

@Injectable()
export class StatementsService {
  constructor(
    private readonly longReads: StreamingReads,
    private readonly balances: BalanceHistory,
    private readonly ledger: LedgerHistory,
    private readonly investments: InvestmentHistoryRepository,
    private readonly navs: NavsService,
    private readonly clock: Clock,
  ) {}

  /** Throws INVALID_DATE_RANGE; SERVICE_UNAVAILABLE while one is being written for the user, or many for others. */
  async of(userId: string, { from, to, format }: StatementQuery): Promise<RawResponse> {
    const given = {
      ...(from === undefined ? {} : { startDate: from }),
      ...(to === undefined ? {} : { endDate: to }),
    };
    const range = dayRange(given, this.clock.now(), { lastDays: DEFAULT_DAYS, atMost: MOST_DAYS });
    await this.navs.today(); // a snapshot does not see values that are published later
    const fileName = `statement-${range.from}-${range.to}.${format}`;
    const pieces = this.longReads.stream(userId, (snapshot) => this.write(snapshot, userId, range, format));
    return streamResponse(pieces, { type: STATEMENT_FORMATS[format].type, fileName });
  }

  private async *write(
    snapshot: Snapshot,
    userId: string,
    { from, to }: DayRange,
    format: StatementFormat,
  ): AsyncGenerator<string, void> {
    const now = this.clock.now();
    const [before, end] = [addDays(from, -1), to].map((day) => endOf(day, dayOf(now))) as [Moment, Moment];
    const [opening, closing] = (await this.balances.within(snapshot, userId, [before, end])) as [
      Standing,
      Standing,
    ];
    const movements = this.ledger.movements(snapshot, userId, startOfDay(from), end);
    const parts = {
      head: {
        currency: 'USDC',
        from,
        to,
        opening: toStatementBalanceResponse(opening),
        closing: toStatementBalanceResponse(closing),
      },
      movements: movementViews(movements, opening.available),
      growth: growthViews(this.investments.growthByDay(snapshot, userId, from, to)),
    };
    const envelope = { success: true, timestamp: now.toISOString(), ...currentTrace() };
    yield* STATEMENT_FORMATS[format].write(parts, envelope);
  }
}
