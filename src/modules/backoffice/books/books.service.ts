import { Injectable } from '@nestjs/common';
import { Replicas } from '../../../database/replicas.js';
import type { Snapshot } from '../../../database/snapshots.js';
import { dayRange, type DayRange } from '../../../http/request/date-range.js';
import type { Page } from '../../../lists/list-page.js';
import { Clock } from '../../../common/clock.js';
import { dayOf, startOfDay, type Day } from '../../../common/days.js';
import { throwError } from '../../../common/errors/domain-error.js';
import type { Money } from '../../../common/money.js';
import { endOf, untilAsTimestamp, type Moment } from '../../../common/moment.js';
import { AppConfig } from '../../../config/app-config.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import { ListExportsService } from '../../core/audit/list-exports.service.js';
import { InvestmentTotalsRepository } from '../../investing/investments/investment-totals.repository.js';
import { NavsService } from '../../investing/strategies/navs.service.js';
import { BooksRepository, type BookEntry, type BookRange } from './books.repository.js';
import {
  type AccountKey,
  type BookBalance,
  idOf,
  inChartOrder,
  type ProfitAndLoss,
  profitAndLossOf,
} from './domain/books.js';
import type { EntriesQuery, RangeQuery } from './dto/books.request.js';

const DEFAULT_DAYS = 30;

export interface TrialBalance {
  /** The balances are those at the end of this day, or the present ones if it is today. */
  readonly date: Day;
  readonly balances: readonly BookBalance[];
}

/** Profit and loss of a range of days. */
export interface PeriodResult {
  readonly range: DayRange;
  readonly figures: ProfitAndLoss;
  /** At the end of the range: fees that closing all investments would charge, in USDC. They are no income yet. */
  readonly feesAccruedNotCharged: Money;
}

/** An account with its balances before and after a range, and entries of the range. */
export interface AccountEntries<Entries> {
  readonly account: BookBalance;
  readonly range: DayRange;
  readonly entries: Entries;
}

/** The platform's books, from the ledger alone. Figures of a day that has ended never change. */
@Injectable()
export class BooksService {
  constructor(
    private readonly replicas: Replicas,
    private readonly repository: BooksRepository,
    private readonly navs: NavsService,
    private readonly listExports: ListExportsService,
    private readonly investmentTotals: InvestmentTotalsRepository,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {}

  async listAccounts(): Promise<AccountKey[]> {
    const accounts = await this.replicas.read((snapshot) => this.repository.findAccounts(snapshot));
    return accounts.sort(inChartOrder);
  }

  /** Throws INVALID_DATE_RANGE. */
  async getTrialBalance(date: string | undefined): Promise<TrialBalance> {
    const range = this.daysOf(date === undefined ? {} : { startDate: date, endDate: date }, 1);
    const balances = await this.readPublished(range, (snapshot, bounds) =>
      this.listBalances(snapshot, bounds),
    );
    return { date: range.to, balances };
  }

  /** Throws INVALID_DATE_RANGE. */
  async getProfitAndLoss(query: RangeQuery): Promise<PeriodResult> {
    const range = this.daysOf(query);
    const end = this.endOf(range);
    return this.readPublished(range, async (snapshot, bounds) => ({
      range,
      figures: profitAndLossOf(await this.listBalances(snapshot, bounds)),
      feesAccruedNotCharged: await this.investmentTotals.getAccruedFees(snapshot, end, this.config),
    }));
  }

  /** Throws ACCOUNT_NOT_FOUND and INVALID_DATE_RANGE. */
  async listEntries(
    id: string,
    query: EntriesQuery,
  ): Promise<AccountEntries<Page<BookEntry> & { total: number }>> {
    const range = this.daysOf(query);
    return this.readPublished(range, async (snapshot, bounds) => {
      const account = await this.getAccount(snapshot, id, bounds);
      const entries = await this.repository.findEntries(snapshot, account, bounds, query);
      return { account, range, entries };
    });
  }

  /** All entries of the range, as `write` writes them. Records the export. Throws as `listEntries`. */
  async streamEntries<Piece>(
    id: string,
    query: EntriesQuery,
    admin: AdminPrincipal,
    write: (account: AccountEntries<AsyncGenerator<BookEntry[], void>>) => AsyncGenerator<Piece, void>,
  ): Promise<AsyncGenerator<Piece, void>> {
    const range = this.daysOf(query);
    await this.navs.publishMissingNavs();
    const exported = { list: 'book-entries', query: { account: id, ...query }, isLong: true } as const;
    const bounds = this.boundsOf(range);
    const { repository } = this;
    const getAccount = this.getAccount.bind(this);
    return this.listExports.streamList(admin, exported, async function* (snapshot) {
      const account = await getAccount(snapshot, id, bounds);
      const entries = repository.streamEntries(snapshot, account, bounds, account.opening);
      yield* write({ account, range, entries });
    });
  }

  private async getAccount(snapshot: Snapshot, id: string, bounds: BookRange): Promise<BookBalance> {
    const accounts = await this.repository.findAccounts(snapshot);
    const account = accounts.find((known) => idOf(known) === id) ?? throwError('ACCOUNT_NOT_FOUND');
    return this.repository.getBalance(snapshot, account, bounds);
  }

  private async listBalances(snapshot: Snapshot, bounds: BookRange): Promise<BookBalance[]> {
    return (await this.repository.findBalances(snapshot, bounds)).sort(inChartOrder);
  }

  /** Publishes the missing values of strategies first, so that the growth of the days is in the ledger. A replica may show it some seconds later. */
  private async readPublished<Result>(
    range: DayRange,
    read: (snapshot: Snapshot, bounds: BookRange) => Promise<Result>,
  ): Promise<Result> {
    await this.navs.publishMissingNavs();
    return this.replicas.read((snapshot) => read(snapshot, this.boundsOf(range)));
  }

  private daysOf(query: Pick<RangeQuery, 'startDate' | 'endDate'>, lastDays = DEFAULT_DAYS): DayRange {
    return dayRange(query, this.clock.now(), { lastDays });
  }

  private boundsOf(range: DayRange): BookRange {
    return { from: startOfDay(range.from).toISOString(), to: untilAsTimestamp(this.endOf(range)) };
  }

  private endOf({ to }: DayRange): Moment {
    return endOf(to, dayOf(this.clock.now()));
  }
}
