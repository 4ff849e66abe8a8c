import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { AppConfig } from '../../src/config/app-config.js';
import { openDatabase } from '../../src/database/data-source.js';
import { Facts } from '../../src/database/facts.js';
import { UnitOfWork } from '../../src/database/unit-of-work.js';
import { FrozenClock } from '../../src/kernel/clock.js';
import { newId } from '../../src/kernel/ids.js';
import { Money } from '../../src/kernel/money.js';
import { AuditLog } from '../../src/modules/audit/audit-log.js';
import { InvestmentClosings } from '../../src/modules/investments/investment-closings.service.js';
import { Investments } from '../../src/modules/investments/investments.service.js';
import { InvestmentsQueries } from '../../src/modules/investments/investments.queries.js';
import { Ledger } from '../../src/modules/ledger/ledger.service.js';
import { Meters } from '../../src/telemetry/meters.js';
import { depositCompleted } from '../../src/modules/ledger/postings.js';
import { NavRoll } from '../../src/modules/strategies/nav-roll.js';
import { Navs } from '../../src/modules/strategies/navs.service.js';
import { Strategies } from '../../src/modules/strategies/strategies.service.js';
import { YieldReports } from '../../src/modules/strategies/yield-reports.service.js';
import { UserEntity } from '../../src/modules/users/user.entity.js';
import { Users } from '../../src/modules/users/users.service.js';
import { freshDatabase } from '../support/database.js';

const SETTINGS = {
  SUSPENDED_STRATEGIES: [] as string[],
  YIELD_TOLERANCE_PERCENT: Money.of('5'),
  INVESTMENT_APPROVAL_THRESHOLD: undefined as Money | undefined,
  INVESTMENT_LOCK_DAYS: 0,
  MANAGEMENT_FEE_PERCENT: Money.of('0.50'),
  PERFORMANCE_FEE_PERCENT: Money.of('0'),
};

export const STRATEGY_IDS = ['conservative-5', 'balanced-10', 'aggressive-20'];

/** One process of the service: its own cache and, if told so, its own clock. */
export interface Replica {
  navs: Navs;
  investments: Investments;
  closings: InvestmentClosings;
  queries: InvestmentsQueries;
  reports: YieldReports;
}

/** Strategies and investments on a database of their own, without HTTP and the outside world. */
export interface Stage extends Replica {
  clock: FrozenClock;
  dataSource: DataSource;
  uow: UnitOfWork;
  ledger: Ledger;
  replica(clock?: FrozenClock, settings?: Partial<typeof SETTINGS>): Replica;
  /** A user with a balance. */
  user(balance: string): Promise<string>;
  /** Balance of a platform account of a strategy: the sum of its entries. */
  standing(kind: string, strategyId: string): Promise<Money>;
  stop(): Promise<void>;
}

export async function startStage(at: string, settings: Partial<typeof SETTINGS> = {}): Promise<Stage> {
  const database = await freshDatabase();
  const quiet = { migrate: false };
  const options = {
    type: 'postgres' as const,
    url: database.url,
    poolSize: 16,
    extra: { lock_timeout: 5000 },
  };
  const dataSource = await openDatabase(options, () => undefined, quiet);
  const clock = new FrozenClock(new Date(at));
  const uow = new UnitOfWork(dataSource);
  const ledger = new Ledger(new Meters());

  const replica = (own = clock, more: Partial<typeof SETTINGS> = {}): Replica => {
    const config = { ...SETTINGS, ...settings, ...more } as AppConfig;
    const strategies = new Strategies(config);
    const navs = new Navs(dataSource, uow, own, strategies, new NavRoll(strategies, ledger));
    const [facts, audit] = [new Facts(), new AuditLog(own)];
    const users = new Users(dataSource.getRepository(UserEntity), own);
    const closings = new InvestmentClosings(strategies, navs, ledger, facts, audit, config);
    return {
      navs,
      investments: new Investments(strategies, navs, ledger, facts, config, audit, closings, users),
      closings,
      queries: new InvestmentsQueries(dataSource, navs, strategies),
      reports: new YieldReports(strategies, navs, ledger, config),
    };
  };

  const user = async (balance: string): Promise<string> => {
    const id = newId();
    await dataSource.query(
      'insert into platform_user (id, email, created_at, updated_at) values ($1, $2, $3, $3)',
      [id, `${randomUUID()}@example.org`, clock.now()],
    );
    const amount = Money.of(balance);
    const arrived = {
      depositId: newId(),
      userId: id,
      network: 'ERC20',
      asset: 'USDC',
      received: amount,
      credited: amount,
    };
    await uow.run((tx) => ledger.post(tx, depositCompleted({ ...arrived, at: clock.now() })));
    return id;
  };

  const standing = async (kind: string, strategyId: string): Promise<Money> => {
    const [row] = await dataSource.query<{ sum: string }[]>(
      `select coalesce(sum(amount), 0) as sum from ledger_entry
        where account_id in (select id from ledger_account where kind = $1 and (scope = $2 or asset = 'UNIT:' || $2))`,
      [kind, strategyId],
    );
    return Money.of(row?.sum ?? '0');
  };

  const stop = async (): Promise<void> => {
    await dataSource.destroy();
    await database.drop();
  };
  return { ...replica(), clock, dataSource, uow, ledger, replica, user, standing, stop };
}
