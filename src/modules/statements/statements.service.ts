import { Injectable } from '@nestjs/common';
import type { Snapshot } from '../../database/snapshots.js';
import { StreamingReads } from '../../lists/streaming-reads.js';
import { dayRange, readFromAndTo, type DayRange } from '../../http/request/date-range.js';
import { Clock } from '../../common/clock.js';
import { addDays, dayOf, startOfDay } from '../../common/days.js';
import { endOf } from '../../common/moment.js';
import { BalanceHistoryService, type PastBalance } from '../balance/balance-history.service.js';
import {
  InvestmentHistoryRepository,
  type DailyGrowth,
} from '../investments/investment-history.repository.js';
import { LedgerHistoryRepository, type AvailableEntry } from '../ledger/ledger-history.repository.js';
import { NavsService } from '../strategies/navs.service.js';
import type { StatementQuery } from './dto/statements.request.js';

const DEFAULT_DAYS = 30;
const MAX_DAYS = 3660; // ten years

/** A statement whose lists are read in batches while it is written. */
export interface Statement {
  readonly range: DayRange;
  readonly writtenAt: Date;
  readonly opening: PastBalance;
  readonly closing: PastBalance;
  readonly movements: AsyncIterable<AvailableEntry[]>;
  readonly growth: AsyncIterable<DailyGrowth[]>;
}

export interface StreamedStatement {
  readonly range: DayRange;
  /** The text of the statement, in pieces. */
  readonly pieces: AsyncGenerator<string, void>;
}

/** Statements of account, read from one snapshot and streamed. */
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
   * Reads a statement from one snapshot and streams the text that `write` produces from it. Throws INVALID_DATE_RANGE.
   * Reading the first piece throws SERVICE_UNAVAILABLE while another statement of the user, or too many statements of other
   * users and exports of admins, are being written.
   */
  async streamStatement(
    userId: string,
    query: Pick<StatementQuery, 'from' | 'to'>,
    write: (statement: Statement) => AsyncGenerator<string, void>,
  ): Promise<StreamedStatement> {
    const range = readFromAndTo(query, (days) =>
      dayRange(days, this.clock.now(), { lastDays: DEFAULT_DAYS, atMost: MAX_DAYS }),
    );
    await this.navs.publishMissingNavs(); // a snapshot does not see values that are published later
    const readStatement = this.getStatement.bind(this); // generator functions have no `this` of the method
    const pieces = this.streamingReads.stream(userId, async function* (snapshot) {
      yield* write(await readStatement(snapshot, userId, range));
    });
    return { range, pieces };
  }

  private async getStatement(snapshot: Snapshot, userId: string, range: DayRange): Promise<Statement> {
    const { from, to } = range;
    const now = this.clock.now();
    const beforeFirstDay = endOf(addDays(from, -1), dayOf(now));
    const endOfLastDay = endOf(to, dayOf(now));
    const balances = await this.balances.balancesIn(snapshot, userId, [beforeFirstDay, endOfLastDay]);
    const [opening, closing] = balances as [PastBalance, PastBalance];
    return {
      range,
      writtenAt: now,
      opening,
      closing,
      movements: this.ledger.streamAvailableEntries(snapshot, userId, startOfDay(from), endOfLastDay),
      growth: this.investments.growthByDay(snapshot, userId, from, to),
    };
  }
}
