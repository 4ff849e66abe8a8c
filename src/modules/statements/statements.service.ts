import { Injectable } from '@nestjs/common';
import type { Snapshot } from '../../database/snapshots.js';
import { StreamingReads } from '../../database/streaming-reads.js';
import { dayRange, type DayRange } from '../../http/request/date-range.js';
import { Clock } from '../../common/clock.js';
import { addDays, dayOf, startOfDay } from '../../common/days.js';
import { endOf, type Moment } from '../../common/moment.js';
import { BalanceHistoryService, type PastBalance } from '../balance/balance-history.service.js';
import {
  InvestmentHistoryRepository,
  type DailyGrowth,
} from '../investments/investment-history.repository.js';
import { LedgerHistoryRepository, type Movement } from '../ledger/ledger-history.repository.js';
import { NavsService } from '../strategies/navs.service.js';
import type { StatementQuery } from './dto/statements.request.js';

const DEFAULT_DAYS = 30;
const MOST_DAYS = 3660; // ten years

/** A statement whose lists are read in batches while it is written. */
export interface Statement {
  readonly range: DayRange;
  readonly writtenAt: Date;
  readonly opening: PastBalance;
  readonly closing: PastBalance;
  readonly movements: AsyncIterable<Movement[]>;
  readonly growth: AsyncIterable<DailyGrowth[]>;
}

export interface StreamedStatement {
  readonly range: DayRange;
  /** The text of the statement. */
  readonly pieces: AsyncGenerator<string, void>;
}

@Injectable()
export class StatementsService {
  constructor(
    private readonly streamingReads: StreamingReads,
    private readonly balances: BalanceHistoryService,
    private readonly ledger: LedgerHistoryRepository,
    private readonly investments: InvestmentHistoryRepository,
    private readonly navs: NavsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Reads a statement from one snapshot and streams the text that `write` produces from it. Throws INVALID_DATE_RANGE, and
   * SERVICE_UNAVAILABLE while another statement of the user or too many of other users are being written.
   */
  async streamStatement(
    userId: string,
    { from, to }: Pick<StatementQuery, 'from' | 'to'>,
    write: (statement: Statement) => AsyncGenerator<string, void>,
  ): Promise<StreamedStatement> {
    const requested = {
      ...(from === undefined ? {} : { startDate: from }),
      ...(to === undefined ? {} : { endDate: to }),
    };
    const range = dayRange(requested, this.clock.now(), { lastDays: DEFAULT_DAYS, atMost: MOST_DAYS });
    await this.navs.publishMissingNavs(); // a snapshot does not see values that are published later
    const read = this.getStatement.bind(this);
    const pieces = this.streamingReads.stream(userId, async function* (snapshot) {
      yield* write(await read(snapshot, userId, range));
    });
    return { range, pieces };
  }

  private async getStatement(snapshot: Snapshot, userId: string, range: DayRange): Promise<Statement> {
    const { from, to } = range;
    const now = this.clock.now();
    const ends = [addDays(from, -1), to].map((day) => endOf(day, dayOf(now))) as [Moment, Moment];
    const balances = await this.balances.balancesIn(snapshot, userId, ends);
    const [opening, closing] = balances as [PastBalance, PastBalance];
    return {
      range,
      writtenAt: now,
      opening,
      closing,
      movements: this.ledger.streamMovements(snapshot, userId, startOfDay(from), ends[1]),
      growth: this.investments.growthByDay(snapshot, userId, from, to),
    };
  }
}
