// Duration of publishing a day's NAVs with a thousand and with a million open investments at equal daily activity, compared
// with writing the growth to each investment. The seed uses the service's own posting statements with all checks on.
import pg from 'pg';
import { openDatabase } from '../dist/database/data-source.js';
import { DomainEvents } from '../dist/events/domain-events.js';
import { migrationsFromFiles } from '../dist/database/migrations.js';
import { UnitOfWork } from '../dist/database/unit-of-work.js';
import { FrozenClock } from '../dist/common/clock.js';
import { addDays, startOfDay } from '../dist/common/days.js';
import { LedgerRepository } from '../dist/modules/core/ledger/ledger.repository.js';
import { LedgerService } from '../dist/modules/core/ledger/ledger.service.js';
import { Meters } from '../dist/observability/meters.js';
import { NavPublishingService } from '../dist/modules/investing/strategies/nav-publishing.service.js';
import { NavsService } from '../dist/modules/investing/strategies/navs.service.js';
import {
  NavsRepository,
  StrategiesRepository,
} from '../dist/modules/investing/strategies/strategies.repository.js';
import { StrategiesService } from '../dist/modules/investing/strategies/strategies.service.js';
import { YieldReportsRepository } from '../dist/modules/investing/strategies/yield-reports.repository.js';
import { alternating, ratioRow, printProgress, timed } from './frame.mjs';
import { seals } from './support/invariants.mjs';

const MAX_RATIO = 2;
const MIN_SPEEDUP = 1_000;
const SHARE = 10; // the baseline writes a tenth of the rows and multiplies the time by ten, which favours it
const WARM_UPS = 3; // days until the seeded units earn
const ACTIVITY = 200; // new investments per day
const USERS = 1_000;
const BATCH = 200; // postings per statement
const FIRST_DAY = '2026-03-02';

// Inserts $1 investments at the time $2; their numbers follow $3. Investment n is that of user n modulo USERS. The amount is
// also the number of units; the NAV does not matter here.
const INVEST = `
  with created as (
    insert into investment (id, user_id, strategy_id, status, amount, units, issued_on, created_at, updated_at)
    select gen_random_uuid(), users.id, 'balanced-10', 'active', 100, 100, $2::timestamptz at time zone 'UTC', $2, $2
      from (select id, row_number() over (order by id) as place from platform_user) as users
      join generate_series($3::int + 1, $3::int + $1::int) as n on n % ${USERS} = place % ${USERS}
    returning id, user_id
  )
  select ledger_post(jsonb_agg(jsonb_build_object(
    'id', gen_random_uuid(), 'type', 'investment', 'referenceType', 'investment', 'referenceId', id, 'at', $2,
    'description', 'bench', 'entries', jsonb_build_array(
      jsonb_build_object('owner', '00000000-0000-0000-0000-000000000000', 'kind', 'strategy.units', 'scope', '',
                         'asset', 'UNIT:balanced-10', 'amount', -100, 'category', 'investment'),
      jsonb_build_object('owner', user_id, 'kind', 'user.units', 'scope', '',
                         'asset', 'UNIT:balanced-10', 'amount', 100, 'category', 'investment'))))) from created`;

async function seed(dataSource, size) {
  await dataSource.query(
    `insert into platform_user (id, email, created_at, updated_at)
     select gen_random_uuid(), n || '@example.org', $1, $1 from generate_series(1, ${USERS}) as n`,
    [startOfDay(FIRST_DAY)],
  );
  let begun = 0;
  const worker = async () => {
    while (begun < size) {
      const from = begun;
      begun += BATCH;
      await dataSource.query(INVEST, [Math.min(BATCH, size - from), startOfDay(FIRST_DAY), from]);
    }
  };
  await Promise.all([worker(), worker()]);
  await dataSource.query('analyze');
}

// Copies of the service's tables with their indexes, but without triggers and CHECK constraints.
const ONE_BY_ONE = `
  create table investment_copy (like investment including all excluding constraints);
  create table entry_copy (like ledger_entry including all excluding constraints);
  insert into investment_copy select * from investment where status = 'active' limit :rows;`;
const GROW_ONE_BY_ONE = `
  with grown as (
    update investment_copy set closed_growth = closed_growth + round(amount * 0.0003, 6) returning id, amount
  )
  insert into entry_copy (transaction_id, account_id, asset, amount, category, effective_at)
  select id, sign, 'USDC', sign * round(amount * 0.0003, 6), 'yield', now() from grown, (values (1), (-1)) as side(sign)`;

/** Copies `size` investments. `writeGrowth` writes a day's growth to all copies by one UPDATE, with two entries for each. */
async function oneByOneOf(url, size) {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(ONE_BY_ONE.replaceAll(':rows', String(size)));
  return {
    async writeGrowth() {
      await client.query('vacuum analyze investment_copy');
      return timed(() => client.query(GROW_ONE_BY_ONE));
    },
    end: () => client.end(),
  };
}

/** A platform with `size` open investments whose clock can be advanced by a day. */
async function startPlatformOn(bench, size) {
  const url = await bench.empty();
  const quiet = () => undefined;
  const options = {
    type: 'postgres',
    url,
    migrations: migrationsFromFiles(),
    entities: ['dist/modules/**/*.entity.js'],
  };
  const dataSource = await openDatabase(options, quiet);
  const clock = new FrozenClock(startOfDay(FIRST_DAY));
  const unitOfWork = new UnitOfWork(dataSource);
  const strategies = new StrategiesService(
    { SUSPENDED_STRATEGIES: [] },
    clock,
    unitOfWork,
    new StrategiesRepository(dataSource),
  );
  await strategies.onModuleInit();
  const repository = new NavsRepository(dataSource);
  const navs = new NavsService(
    unitOfWork,
    clock,
    strategies,
    new NavPublishingService(
      strategies,
      new LedgerService(new LedgerRepository(), new Meters(), new DomainEvents()),
      repository,
      new YieldReportsRepository(dataSource, seals),
    ),
    repository,
  );
  await navs.publishMissingNavs();
  const seconds = (await timed(() => seed(dataSource, size))) / 1000;
  printProgress(`  ${size.toLocaleString('en')} investments seeded in ${seconds.toFixed(0)} s`);
  let day = 0;
  return {
    url,
    /** Adds a day's investments, then publishes the NAVs of the next day. Returns the milliseconds of the publishing. */
    async publishNextDay() {
      day += 1;
      await dataSource.query(INVEST, [ACTIVITY, clock.now(), day * ACTIVITY]);
      clock.moveTo(startOfDay(addDays(FIRST_DAY, day)));
      return timed(() => navs.publishMissingNavs());
    },
    /** Closes the connections. Throws unless the units of the last accrual are those of the investments that earn. */
    async end() {
      const [accrual] = await dataSource.query(
        `select units, units = (select count(*) from investment where issued_on <= $1::date - 2) * 100 as is_right
           from strategy_accrual where strategy_id = 'balanced-10' and day = $1`,
        [clock.today()],
      );
      await dataSource.destroy();
      if (!accrual.is_right) throw new Error(`${accrual.units} units differ from the invested units`);
    },
  };
}

export const title = `Publishing one day of three strategies, ${ACTIVITY} new investments a day.`;

export async function run(bench) {
  const few = bench.small / 10;
  const many = bench.large;
  const small = await startPlatformOn(bench, few);
  const large = await startPlatformOn(bench, many);
  const oneByOne = await oneByOneOf(large.url, many / SHARE);
  const figures = await alternating(
    { small: small.publishNextDay, large: large.publishNextDay },
    { warmUps: WARM_UPS },
  );
  const beside = await alternating(
    { large: large.publishNextDay, oneByOne: oneByOne.writeGrowth },
    { warmUps: 0 },
  );
  for (const part of [oneByOne, small, large]) await part.end();
  const allOneByOne = beside.oneByOne * SHARE;
  const faster = allOneByOne / beside.large;
  return {
    rows: [
      ratioRow(`a day with ${many.toLocaleString('en')} open investments`, {
        figure: figures.large,
        baseline: figures.small,
        baselineIs: `with ${few.toLocaleString('en')}`,
        most: MAX_RATIO,
      }),
      {
        what: `the same, compared with one UPDATE of ${many.toLocaleString('en')} rows and their entries`,
        figure: `${beside.large.toFixed(1)} ms`,
        baseline: `one by one: ${(allOneByOne / 1000).toFixed(1)} s`,
        ratio: `${faster.toFixed(0)} × faster`,
        target: `≥ ${MIN_SPEEDUP.toLocaleString('en')} ×`,
        reached: faster >= MIN_SPEEDUP,
      },
    ],
  };
}
