import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import type { Tx } from '../../database/unit-of-work.js';
import { isDay, isWithinCalendar, startOfDay } from '../../common/days.js';
import { fail, type FieldProblem } from '../../common/errors/domain-error.js';
import { Money } from '../../common/money.js';
import { LedgerService } from '../ledger/ledger.service.js';
import type { NavDayLock } from './navs.service.js';
import { NavsService } from './navs.service.js';
import { StrategiesService } from './strategies.service.js';
import {
  effectOf,
  realisedBy,
  realisedPosting,
  usedFor,
  type Report,
  type Used,
} from './domain/yield-report.js';
import type { YieldReportState } from './domain/yield-report.state-machine.js';

/** What the custody provider reports: decimals and the day as text, as they came. */
export interface YieldReport {
  /** The provider's id of the event: the same one counts once. */
  readonly eventId: string;
  readonly strategyId: string;
  readonly day: string;
  /** Achieved, percent a year. */
  readonly apy: string;
  /** USDC received by the custody provider for the day; replaces the amount of an earlier report of the same day. */
  readonly realisedAmount?: string;
}

const APY = /^-?(0|[1-9]\d{0,3})(\.\d{1,8})?$/;
const LOWEST_APY = Money.of('-100');
const EVENT_ID_LENGTH = 200;

/** Reports of achieved yield. */
@Injectable()
export class YieldReportsService {
  constructor(
    private readonly strategies: StrategiesService,
    private readonly navs: NavsService,
    private readonly ledger: LedgerService,
    private readonly config: AppConfig,
  ) {}

  /**
   * Takes in one report, once: a repeated event changes nothing and answers `duplicate`. A later event about the same
   * day is a correction: it replaces rate and amount, and the difference is posted. Throws VALIDATION_ERROR for one that makes no sense (unknown strategy, not a day, not a rate, a day before the strategy's first or
   * more than 31 days ahead); nothing is kept of it.
   */
  async record(input: YieldReport): Promise<{ state: YieldReportState; duplicate: boolean }> {
    const report = this.parse(input);
    return this.navs.write(async (tx) => {
      const today = await this.navs.lockDayAlone(tx, report.strategy.id);
      const earlier = await stateOf(tx, report.eventId);
      if (earlier) return { state: earlier, duplicate: true };
      const used = await usedFor(tx, report, today);
      const state = this.judge(report, used, today);
      const realised = await realisedBy(tx, report);
      const stored = state === 'waiting' ? report.realised : realised.total;
      await tx.query(
        `insert into yield_report
           (event_id, strategy_id, day, apy, used_apy, realised_amount, state, reported_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [
          report.eventId,
          report.strategy.id,
          report.day,
          report.apy.toString(),
          used.apy.toString(),
          stored?.toString() ?? null,
          state,
          today.at,
        ],
      );
      if (state !== 'waiting') await this.ledger.post(tx, realisedPosting(report, realised, today.at));
      return { state, duplicate: false };
    });
  }

  private parse({ eventId, strategyId, day, apy, realisedAmount }: YieldReport): Report {
    const strategy = this.strategies.find(strategyId);
    const rate = typeof apy === 'string' && APY.test(apy) ? Money.of(apy) : undefined;
    const realised = realisedAmount === undefined ? null : Money.parse(realisedAmount);
    const problems: FieldProblem[] = [];
    if (!eventId || eventId.length > EVENT_ID_LENGTH)
      problems.push({ field: 'eventId', message: 'must be 1 to 200 characters' });
    if (!strategy) problems.push({ field: 'strategyId', message: 'is not a known strategy' });
    if (!isDay(day) || !isWithinCalendar(startOfDay(day)))
      problems.push({ field: 'day', message: 'must be a day such as 2026-01-31' });
    if (!rate?.isMoreThan(LOWEST_APY))
      problems.push({ field: 'apy', message: 'must be a decimal string above -100' });
    if (realised === undefined)
      problems.push({ field: 'realisedAmount', message: 'must be a decimal string such as "10.00"' });
    if (!strategy || !rate || realised === undefined || problems.length > 0)
      fail('VALIDATION_ERROR', problems);
    return { eventId, strategy, day, apy: rate, realised };
  }

  private judge(report: Report, used: Used, today: NavDayLock): YieldReportState {
    const off = report.apy.minus(report.strategy.apy);
    const distance = off.isNegative() ? off.negated() : off;
    if (distance.isMoreThan(this.config.YIELD_TOLERANCE_PERCENT)) return 'waiting';
    return effectOf(report, used, today);
  }
}

async function stateOf(tx: Tx, eventId: string): Promise<YieldReportState | undefined> {
  const [row] = await tx.query<{ state: YieldReportState }[]>(
    'select state from yield_report where event_id = $1',
    [eventId],
  );
  return row?.state;
}
