import { Injectable } from '@nestjs/common';
import { DataSource, LessThanOrEqual, Not, type EntityManager } from 'typeorm';
import type { Clock } from '../../../common/clock.js';
import { addDays, startOfDay, type Day } from '../../../common/days.js';
import { Money } from '../../../common/money.js';
import { findRows } from '../../../database/entity-rows.js';
import { prepared } from '../../../database/prepared.js';
import { all, lockName, read } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { markHours } from '../../../lists/total-marks.js';
import { PLATFORM, unitsOf } from '../../core/ledger/domain/chart-of-accounts.js';
import { ACHIEVED_DAYS, achievedApy } from './domain/apy.js';
import { Strategy, StrategyAccrual, StrategyNav } from './entities/strategy.entity.js';
import type { NavDay, NavPoint } from './strategies.types.js';

@Injectable()
export class StrategiesRepository {
  constructor(private readonly dataSource: DataSource) {}

  async findStrategies(): Promise<Strategy[]> {
    return this.dataSource.manager.find(Strategy, { order: { position: 'asc', id: 'asc' } });
  }

  async upsertStrategies(tx: Tx, strategies: readonly Strategy[]): Promise<void> {
    await tx.upsert(Strategy, [...strategies], ['id']);
  }

  /** Counts the open investments of each strategy that is not in `strategyIds`. */
  async countOpenInvestmentsOfOtherStrategies(
    strategyIds: readonly string[],
  ): Promise<{ strategyId: string; count: number }[]> {
    return this.dataSource.query(
      `select strategy_id as "strategyId", count(*)::int as count
         from investment -- owned by the module investments
        where strategy_id <> all($1) and status in ('pending', 'active') group by 1 order by 1`,
      [strategyIds],
    );
  }
}

// For `sumEarningUnitsChange`, from tables of the module ledger. Entries of the strategy's account have the opposite sign of its holders'
// units. Sub-selects keep the plan at a few index look-ups per entry. `issued_at`: an investment with an approval has two transactions
// and gets its units with the later one.
// Parameters: owner, asset, and the beginnings of the day two days before `day`, of the day before `day`, and of `day`.
const EARNING_UNITS_CHANGE = `
  with movement as (
    select -entry.amount as units, entry.effective_at as moved_at,
           (select split_part(reference_id, ':', 1) from ledger_transaction where id = entry.transaction_id)
             as investment_id
      from ledger_entry as entry
     where entry.account_id = (select id from ledger_account
                                where owner_id = $1 and kind = 'strategy.units' and scope = '' and asset = $2)
       and entry.effective_at >= $3 and entry.effective_at < $5
  ), dated as (
    select units, moved_at,
           (select max(effective_at) from ledger_transaction
             where type in ('investment', 'units-issued') and reference_type = 'investment'
               and reference_id = investment_id) as issued_at
      from movement
  )
  select coalesce(sum(units), 0) as units from dated
   where issued_at < $4 and (issued_at >= $3 or moved_at >= $4)`;

const NEWEST_NAVS = 'select day, nav from strategy_nav where strategy_id = $1 order by day desc limit 2';

interface StoredNav {
  readonly day: Day;
  readonly nav: string;
}

/** Published values, accruals, and the advisory lock of a strategy's day. */
@Injectable()
export class NavsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The newest day of a strategy whose following day has a value, too; undefined before its first. */
  async findNewestDay(
    strategyId: string,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<NavDay | undefined> {
    const navs = await manager.query<StoredNav[]>(prepared(NEWEST_NAVS), [strategyId]);
    return toNavDay(strategyId, navs);
  }

  /** Adds `achievedApy`, and `changedOn`: the last day, up to `day.day`, whose value differs from the value of the day before. */
  async withHistory(day: NavDay): Promise<NavDay> {
    const [row] = await this.dataSource.query<{ day: Day }[]>(
      `select day from strategy_nav as newer
        where strategy_id = $1 and day <= $2
          and nav <> (select nav from strategy_nav as older where older.strategy_id = $1 and older.day = newer.day - 1)
        order by day desc limit 1`,
      [day.strategyId, day.day],
    );
    const yields = await this.findAchievedApys(this.dataSource.manager, day.day);
    const achieved = { ...day, achievedApy: yields.get(day.strategyId) ?? null };
    return row ? { ...achieved, changedOn: row.day } : achieved;
  }

  /** The achieved yield of each strategy up to the beginning of a day, or of its newest day if that is earlier. */
  async findAchievedApys(
    manager: Pick<EntityManager, 'query'>,
    day: Day,
  ): Promise<ReadonlyMap<string, Money | null>> {
    const rows = await manager.query<{ strategy_id: string; factor: string; days: number }[]>(
      `select latest.strategy_id, latest.nav / earliest.nav as factor, latest.day - earliest.day as days
         from (select strategy_id, max(day) as day from strategy_nav where day <= $1 group by strategy_id) as end_of
         join strategy_nav as latest using (strategy_id, day),
              lateral (select day, nav from strategy_nav as navs
                        where navs.strategy_id = latest.strategy_id and navs.day >= latest.day - ${ACHIEVED_DAYS}
                        order by day limit 1) as earliest`,
      [day],
    );
    return new Map(rows.map((row) => [row.strategy_id, achievedApy(Money.of(row.factor), row.days)]));
  }

  /** The last day whose value was not published during a suspension; all later values are equal to its value. */
  async getFlatSince(strategyId: string): Promise<Day> {
    const { day } = await this.dataSource.manager.findOneOrFail(StrategyNav, {
      where: { strategyId, source: Not<StrategyNav['source']>('suspended') },
      order: { day: 'DESC' },
    });
    return day;
  }

  /** In the order of days: the days of the range, `today`, the days in `compared`, and the first day of the strategy. */
  findNavPoints(
    strategyId: string,
    range: { readonly from: Day; readonly to: Day },
    today: Day,
    compared: readonly Day[],
  ): Promise<NavPoint[]> {
    return findRows(
      this.dataSource.manager,
      StrategyNav,
      `where strategy_id = $1 and day <= $2
         and (day between $3 and $4 or day = $2 or day = any($5)
              or day = (select min(day) from strategy_nav where strategy_id = $1))
       order by day`,
      [strategyId, today, range.from, range.to, compared],
    );
  }

  /**
   * Waits for all writes that move units of the strategy, and blocks new ones until the transaction ends, so that
   * publishing counts all units.
   */
  async lockNavDayExclusive(tx: Tx, strategyId: string): Promise<void> {
    await lockName(tx, `strategy ${strategyId}`);
  }

  /** As `findNewestDay`, under the shared lock of writes that move units, for which publishing waits. */
  async lockNavDayShared(tx: Tx, strategyId: string): Promise<NavDay | undefined> {
    const [, newest] = await all(
      read(tx, `select pg_advisory_xact_lock_shared(hashtextextended('strategy ' || $1, 0))`, [strategyId]),
      read<StoredNav>(tx, NEWEST_NAVS, [strategyId]),
    );
    return toNavDay(strategyId, newest);
  }

  /** The current UTC day by the clock of the database, with the offset that tests and the sandbox give the domain clock. */
  async getDatabaseDay(clock: Clock, manager: EntityManager = this.dataSource.manager): Promise<Day> {
    const [row] = await manager.query<{ day: Day }[]>(
      prepared(
        // The inner query, which `offset 0` keeps apart, sets the clock's offset before domain_today() reads it.
        `select domain_today() as day
           from (select set_config('platform.clock_offset_ms', $1, true) as offset_ms offset 0) as clock
          where offset_ms is not null`,
      ),
      [String(clock.offsetMs)],
    );
    if (!row) throw new Error('domain_today() returned no row');
    return row.day;
  }

  /** The published value of a day; for a later day the newest one. */
  async getNavOn(tx: Tx, strategyId: string, day: Day): Promise<Money> {
    const { nav } = await tx.findOneOrFail(StrategyNav, {
      where: { strategyId, day: LessThanOrEqual(day) },
      order: { day: 'DESC' },
    });
    return nav;
  }

  async insertNav(tx: Tx, nav: StrategyNav): Promise<void> {
    await tx.insert(StrategyNav, nav);
  }

  async insertAccrual(tx: Tx, accrual: StrategyAccrual): Promise<void> {
    await tx.insert(StrategyAccrual, accrual);
    markHours(tx, 'report', startOfDay(accrual.day)); // when its growth is posted
  }

  async getAccrual(tx: Tx, strategyId: string, day: Day): Promise<StrategyAccrual> {
    const accrual = await tx.findOneBy(StrategyAccrual, { strategyId, day });
    if (!accrual) throw new Error(`strategy ${strategyId} has a value for ${day} but no accrual`);
    return accrual;
  }

  /**
   * The units that earn on `day`: units issued before it, less units redeemed by its end or, if it has not ended, until now. The accrual
   * of a day has the units that earned on the day before it, so that each look-up is one day later.
   */
  async getEarningUnits(tx: Tx, { strategyId, day: today }: NavDay, day: Day): Promise<Money> {
    const end = addDays(day, 1);
    if (end <= today) return (await this.getAccrual(tx, strategyId, end)).units;
    const tomorrow = addDays(today, 1);
    const { units } = await this.getAccrual(tx, strategyId, today);
    const earningToday = units.plus(await this.sumEarningUnitsChange(tx, strategyId, tomorrow));
    if (end === tomorrow) return earningToday;
    // From tomorrow on the units issued today earn, too.
    return earningToday.plus(await this.sumEarningUnitsChange(tx, strategyId, addDays(tomorrow, 1)));
  }

  /**
   * The units of the accrual of `day` (`StrategyAccrual.units`) less those of the accrual of the day before. Units issued two days before
   * `day` and not redeemed since are added; older units that were redeemed on the day before `day` are taken away. Reads only the
   * entries of these two days.
   */
  async sumEarningUnitsChange(tx: Tx, strategyId: string, day: Day): Promise<Money> {
    const [row] = await tx.query<[{ units: string }]>(EARNING_UNITS_CHANGE, [
      PLATFORM,
      unitsOf(strategyId),
      startOfDay(addDays(day, -2)),
      startOfDay(addDays(day, -1)),
      startOfDay(day),
    ]);
    return Money.of(row.units);
  }
}

/** From the newest two values, the newest first; undefined without both. */
function toNavDay(strategyId: string, [next, today]: readonly StoredNav[]): NavDay | undefined {
  if (!next || !today) return undefined;
  return { strategyId, day: today.day, nav: Money.of(today.nav), next: Money.of(next.nav) };
}
