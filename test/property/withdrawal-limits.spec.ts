import type { QueryRunner } from 'typeorm';
import { parseTiers } from '../../src/config/limits-file.js';
import type { AppConfig } from '../../src/config/app-config.js';
import { DAY_MS } from '../../src/common/durations.js';
import { newId } from '../../src/common/ids.js';
import { Money } from '../../src/common/money.js';
import { tiersOf } from '../../src/modules/identity/users/domain/limit-tier.js';
import {
  tightestWindow,
  windowsOf,
  windowStarts,
} from '../../src/modules/funds/withdrawals/domain/limit-windows.js';
import { usedSince } from '../../src/modules/funds/withdrawals/withdrawals.repository.js';
import { limitsFile } from '../fixtures/limits.js';
import { DESTINATION } from '../fixtures/withdrawals.js';
import { recordGuarantee } from '../harness/jest/guarantees.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { repetitions } from '../harness/repetitions.js';
import { SeededRandom, SEED } from '../harness/seeded-random.js';
import {
  ConcurrentSequences,
  findExceededWindows,
  SEQUENCE_TIER,
} from '../verification/limits/concurrent-sequences.js';
import { LimitModel, toMicro, toText, type ModelWithdrawal } from '../verification/limits/limit-model.js';

const SEQUENCES = repetitions(100_000);
const CONCURRENT_SEQUENCES = repetitions(3000);
const USERS_OF_CONCURRENT = 100;
const BATCH = 2500;
const STEPS = 5;
const PAUSES = [0, 1, 5 * DAY_MS, DAY_MS - 1, DAY_MS, 30 * DAY_MS - 1, 30 * DAY_MS];

const LIMITS = [
  { perTransaction: '60.00', perDay: '100.00', perMonth: '250.00' },
  { perTransaction: null, perDay: '0.000010', perMonth: '0.000015' },
  { perTransaction: '999.999999', perDay: '1000.00', perMonth: null },
  { perTransaction: null, perDay: '250000.01', perMonth: '250000.00' },
] as const;
const TIERS = tiersOf({
  LIMITS_FILE: parseTiers(
    JSON.stringify(LIMITS.map((withdrawal, index) => ({ id: `t${index}`, name: 'Tier', withdrawal }))),
  ),
  WITHDRAWAL_MINIMUM: Money.ZERO,
} as unknown as AppConfig);
const MODEL_TIERS = LIMITS.map(({ perTransaction, perDay, perMonth }) => ({
  perTransaction: perTransaction === null ? null : toMicro(perTransaction),
  perDay: toMicro(perDay),
  perMonth: perMonth === null ? null : toMicro(perMonth),
}));

interface Stored {
  readonly id: string;
  readonly model: ModelWithdrawal;
}

/** A user's withdrawals in the model and, with these ids, in the database. */
interface Sequence {
  readonly userId: string;
  readonly tier: number;
  readonly model: LimitModel;
  readonly stored: Stored[];
  at: number;
}

type Ending = 'rejected' | 'failed' | 'released';

describe(`The limits of withdrawals (SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);
  let platform: TestPlatform;
  let runner: QueryRunner;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { LIMITS_FILE: limitsFile([SEQUENCE_TIER]) } });
    runner = platform.dataSource.createQueryRunner();
  });
  afterAll(async () => {
    await runner?.release();
    await platform?.stop();
  });

  /** What is left by the code of the service: the sums in the database, and the windows of the tier. */
  async function leftOf(sequences: readonly Sequence[]): Promise<bigint[]> {
    const starts = sequences.map(({ at }) => windowStarts(new Date(at)));
    const rows = (await runner.query(
      `select ${usedSince('asked.id', 'asked.day')} as day, ${usedSince('asked.id', 'asked.month')} as month
         from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) with ordinality as asked (id, day, month, place)
        order by place`,
      [sequences.map(({ userId }) => userId), starts.map(({ day }) => day), starts.map(({ month }) => month)],
    )) as { day: string; month: string }[];
    return rows.map(({ day, month }, index) => {
      const tier = TIERS[(sequences[index] as Sequence).tier] as (typeof TIERS)[0];
      const used = { day: Money.of(day), month: Money.of(month) };
      return toMicro(tightestWindow(windowsOf(tier, used)).left.toWire());
    });
  }

  function chooseAmount({ tier }: Sequence, left: bigint): bigint {
    const choice = random.next();
    if (left > 0n && choice < 0.3) return left;
    if (choice < 0.45) return left + 1n;
    const { perDay } = MODEL_TIERS[tier] as (typeof MODEL_TIERS)[0];
    return BigInt(random.integer(1, Number(perDay)));
  }

  /** Ends some withdrawals: rejected and released ones give back their amounts, failed ones do not. */
  async function endSome(sequences: readonly Sequence[]): Promise<void> {
    const ended: Record<Ending, string[]> = { rejected: [], failed: [], released: [] };
    for (const { stored } of sequences) {
      if (stored.length === 0 || random.next() < 0.5) continue;
      const [{ id, model }] = stored.splice(random.integer(0, stored.length - 1), 1) as [Stored];
      const ending = random.oneOf(['rejected', 'failed', 'released'] as const);
      ended[ending].push(id);
      model.counts = ending === 'failed';
    }
    await runner.query(`update withdrawal set status = 'rejected' where id = any($1)`, [ended.rejected]);
    await runner.query(
      `update withdrawal set status = 'failed', released_at = case when id = any($2) then created_at end
        where id = any($1)`,
      [[...ended.failed, ...ended.released], ended.released],
    );
  }

  /** One request of each sequence. Returns descriptions of what contradicts the model. */
  async function requestEach(sequences: readonly Sequence[]): Promise<string[]> {
    const lefts = await leftOf(sequences);
    const contradictions: string[] = [];
    const accepted: { id: string; userId: string; amount: string; at: Date }[] = [];
    sequences.forEach((sequence, index) => {
      const left = lefts[index] as bigint;
      const expected = sequence.model.leftAt(sequence.at);
      if (left !== expected) contradictions.push(`${toText(left)} left instead of ${toText(expected)}`);
      const amount = chooseAmount(sequence, expected);
      if (amount > left) return;
      const id = newId();
      sequence.stored.push({ id, model: sequence.model.accept(sequence.at, amount) });
      accepted.push({ id, userId: sequence.userId, amount: toText(amount), at: new Date(sequence.at) });
    });
    await runner.query(
      `insert into withdrawal (id, user_id, amount, currency, to_address, address_checksum, status, created_at)
       select id, user_id, amount, 'USDC', $5, 'valid', 'pending', at
         from unnest($1::uuid[], $2::uuid[], $3::numeric[], $4::timestamptz[]) as accepted (id, user_id, amount, at)`,
      [
        accepted.map(({ id }) => id),
        accepted.map(({ userId }) => userId),
        accepted.map(({ amount }) => amount),
        accepted.map(({ at }) => at),
        DESTINATION,
      ],
    );
    return contradictions;
  }

  it(`leave exactly what the model leaves, after each step of ${SEQUENCES} sequences [SEC-560]`, async () => {
    const contradictions: string[] = [];
    let withdrawals = 0;
    for (let done = 0; done < SEQUENCES; done += BATCH) {
      const sequences = Array.from({ length: Math.min(BATCH, SEQUENCES - done) }, (): Sequence => {
        const tier = random.integer(0, LIMITS.length - 1);
        const model = new LimitModel(MODEL_TIERS[tier] as (typeof MODEL_TIERS)[0]);
        return { userId: newId(), tier, model, stored: [], at: Date.UTC(2026, 2, 2) };
      });
      await runner.query('begin');
      await runner.query(
        `insert into platform_user (id, email, created_at, updated_at)
         select id, concat(id, '@example.org'), now(), now() from unnest($1::uuid[]) as user_of (id)`,
        [sequences.map(({ userId }) => userId)],
      );
      for (let step = 0; step < STEPS; step++) {
        contradictions.push(...(await requestEach(sequences)));
        await endSome(sequences);
        for (const sequence of sequences) sequence.at += random.oneOf(PAUSES);
      }
      await runner.query('rollback');
      for (const { model } of sequences) {
        withdrawals += model.withdrawals.length;
        if (model.countExceededWindows() > 0) contradictions.push('a window was exceeded');
      }
    }
    expect(contradictions).toEqual([]);
    recordGuarantee('G-60', `${SEQUENCES} sequences, ${withdrawals} withdrawals: 0 windows exceeded`);
  });

  it(`are kept by concurrent requests in ${CONCURRENT_SEQUENCES} sequences [SEC-561]`, async () => {
    const run = await ConcurrentSequences.create(platform, random.fork(), USERS_OF_CONCURRENT);
    const { contradictions, accepted, refused, cancelled, held, released } =
      await run.run(CONCURRENT_SEQUENCES);
    expect(contradictions).toEqual([]);
    expect(await findExceededWindows(platform)).toEqual([]);
    expect(Math.min(accepted, refused, cancelled, held)).toBeGreaterThan(CONCURRENT_SEQUENCES / 10);
    expect(released).toBeGreaterThan(0);
  });
});
