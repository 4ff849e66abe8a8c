import { Injectable } from '@nestjs/common';
import type { Snapshot } from '../../../database/snapshots.js';
import { StreamingReads } from '../../../lists/streaming-reads.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import { dayRange, failTooLong, type DayRange } from '../../../http/request/date-range.js';
import { Clock } from '../../../common/clock.js';
import { addDays, dayOf, startOfDay } from '../../../common/days.js';
import { languageOf, type Language } from '../../../common/message-texts.js';
import { endOf, type Moment } from '../../../common/moment.js';
import { AppConfig } from '../../../config/app-config.js';
import { letterheadOf, type Letterhead } from '../../../http/documents/document.js';
import { ListExportsService } from '../../core/audit/list-exports.service.js';
import { BalanceHistoryService, type PastBalance } from '../balance/balance.service.js';
import {
  InvestmentHistoryRepository,
  type DailyGrowth,
} from '../../investing/investments/investment-history.repository.js';
import { NavsService } from '../../investing/strategies/navs.service.js';
import { StrategiesService } from '../../investing/strategies/strategies.service.js';
import { ProfilesService } from '../../identity/users/profiles.service.js';
import type { StatementFormat, StatementQuery } from './dto/statements.request.js';
import { StatementsRepository, type Movement } from './statements.repository.js';

const DEFAULT_DAYS = 30;
const MAX_DAYS = 3660; // ten years
/** The most movements of a PDF: each takes a millisecond to lay out, and its place in the structure stays in memory until the end. */
const MAX_PDF_MOVEMENTS = 5000;

/** The user of a statement. */
export interface StatementAccount {
  readonly id: string;
  readonly email: string;
  /** Chosen by the user or the identity provider. */
  readonly name: string | null;
}

/** A statement whose lists are read in batches while it is written. */
export interface Statement {
  readonly account: StatementAccount;
  readonly letterhead: Letterhead;
  readonly range: DayRange;
  readonly writtenAt: Date;
  readonly language: Language;
  /** The name of a strategy. */
  readonly nameOf: (strategyId: string) => string;
  readonly opening: PastBalance;
  readonly closing: PastBalance;
  readonly movements: AsyncIterable<Movement[]>;
  readonly growth: AsyncIterable<DailyGrowth[]>;
}

/** Text, or bytes of a PDF. */
type StatementPiece = string | Buffer;

export interface StreamedStatement {
  readonly range: DayRange;
  /** The statement as it is written, in pieces. */
  readonly pieces: AsyncGenerator<StatementPiece, void>;
}

/** Statements of account, read from one snapshot and streamed. */
@Injectable()
export class StatementsService {
  constructor(
    private readonly streamingReads: StreamingReads,
    private readonly exports: ListExportsService,
    private readonly balances: BalanceHistoryService,
    private readonly repository: StatementsRepository,
    private readonly investments: InvestmentHistoryRepository,
    private readonly navs: NavsService,
    private readonly strategies: StrategiesService,
    private readonly profiles: ProfilesService,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {}

  /**
   * Reads a statement from one snapshot and streams what `write` produces from it. `reader`: an admin who reads it instead of the user,
   * and whose read the audit log records. Throws INVALID_DATE_RANGE, and for an admin USER_NOT_FOUND. Reading the first piece throws
   * INVALID_DATE_RANGE for a PDF with more movements than it can have, and SERVICE_UNAVAILABLE while another statement of the reader, or
   * too many statements of other users and exports of admins, are being written.
   */
  async streamStatement(
    userId: string,
    query: Pick<StatementQuery, 'startDate' | 'endDate' | 'format'>,
    write: (statement: Statement) => AsyncGenerator<StatementPiece, void>,
    reader?: AdminPrincipal,
  ): Promise<StreamedStatement> {
    if (reader) await this.profiles.get(userId);
    const range = dayRange(query, this.clock.now(), { lastDays: DEFAULT_DAYS, atMost: MAX_DAYS });
    await this.navs.publishMissingNavs(); // a snapshot does not see values that are published later
    const readStatement = this.getStatement.bind(this); // generator functions have no `this` of the method
    const read = async function* (snapshot: Snapshot) {
      yield* write(await readStatement(snapshot, userId, range, query.format));
    };
    const exported = { list: 'statement', subject: { type: 'user', id: userId }, query };
    const pieces = reader
      ? this.exports.streamList(reader, exported, read)
      : this.streamingReads.stream(userId, read);
    return { range, pieces };
  }

  private async getStatement(
    snapshot: Snapshot,
    userId: string,
    range: DayRange,
    format: StatementFormat,
  ): Promise<Statement> {
    const { from, to } = range;
    const now = this.clock.now();
    const beforeFirstDay = endOf(addDays(from, -1), dayOf(now));
    const endOfLastDay = endOf(to, dayOf(now));
    if (format === 'pdf') await this.requireFewMovements(snapshot, userId, startOfDay(from), endOfLastDay);
    const balances = await this.balances.balancesIn(snapshot, userId, [beforeFirstDay, endOfLastDay]);
    const [opening, closing] = balances as [PastBalance, PastBalance];
    const { user } = await this.profiles.get(userId, snapshot.manager);
    const language = languageOf(user.language);
    const nameOf = (strategyId: string) => this.strategies.getStrategy(strategyId).name;
    return {
      account: { id: userId, email: user.email, name: user.fullName },
      letterhead: letterheadOf(this.config),
      range,
      writtenAt: now,
      language,
      nameOf,
      opening,
      closing,
      movements: this.repository.streamMovements(snapshot, userId, startOfDay(from), endOfLastDay, {
        language,
        nameOf,
      }),
      growth: this.investments.growthByDay(snapshot, userId, range, dayOf(now)),
    };
  }

  private async requireFewMovements(
    snapshot: Snapshot,
    userId: string,
    from: Date,
    to: Moment,
  ): Promise<void> {
    const count = await this.repository.countMovements(snapshot, userId, from, to, MAX_PDF_MOVEMENTS + 1);
    if (count > MAX_PDF_MOVEMENTS) failTooLong(`${MAX_PDF_MOVEMENTS} movements in a PDF`);
  }
}
