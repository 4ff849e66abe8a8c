import type { INestApplicationContext } from '@nestjs/common';
import { DAY_MS } from '../../../src/common/durations.js';
import { DomainError } from '../../../src/common/errors/domain-error.js';
import { Money } from '../../../src/common/money.js';
import { EventDispatcher } from '../../../src/events/event-dispatcher.service.js';
import { Jobs } from '../../../src/jobs/jobs.service.js';
import { WithdrawalsService } from '../../../src/modules/funds/withdrawals/withdrawals.service.js';
import { PlatformLimitJob } from '../../../src/modules/funds/withdrawals/withdrawals.job.js';
import type { TestUser } from '../../fixtures/given.js';
import { NO_STEP_UP } from '../../fixtures/step-ups.js';
import { DESTINATION } from '../../fixtures/withdrawals.js';
import type { TestPlatform } from '../../harness/platform.js';
import { startReplicaWithoutPort } from '../../harness/replica.js';
import type { SeededRandom } from '../../harness/seeded-random.js';
import { CommittedWithdrawals } from './committed-withdrawals.js';
import { toMicro, toText, type ModelTier } from './limit-model.js';

// Random sequences of concurrent requests, cancellations and releases through the services of the module withdrawals. Each user runs one
// sequence at a time, all users together are a batch, and a batch begins when the windows of all users are empty. In every second
// batch all users also compete for PLATFORM_WITHDRAWAL_PER_DAY. CommittedWithdrawals judges by the rows and not by the answers.

export const SEQUENCE_TIER = {
  id: 'standard',
  name: 'Standard',
  withdrawal: { minimum: '0.000001', perTransaction: '60.00', perDay: '100.00', perMonth: '150.00' },
};
const MODEL_TIER: ModelTier = {
  perTransaction: toMicro('60.00'),
  perDay: toMicro('100.00'),
  perMonth: toMicro('150.00'),
};
const PLATFORM_PER_DAY_AND_USER = 60n; // less than most batches ask for in their first step
const STEPS = 2;
const PAUSES = [0, 1, DAY_MS - 1, DAY_MS, 7 * DAY_MS];
const LANES = 12; // users whose requests run at the same time: more requests than the pool has connections
const DAYS_UNTIL_RELEASED = 5;

/** What the sequences have shown; `contradictions` has their descriptions. */
export interface SequenceResults {
  readonly sequences: number;
  readonly requests: number;
  readonly accepted: number;
  readonly refused: number;
  readonly cancelled: number;
  readonly held: number;
  readonly released: number;
  readonly contradictions: readonly string[];
}

/** What one user sends at the same time: requests of these amounts, and the cancellation of a withdrawal. */
interface Step {
  readonly user: TestUser;
  readonly amounts: readonly bigint[];
  readonly cancelled: string | undefined;
}

export class ConcurrentSequences {
  private readonly counts = { sequences: 0, requests: 0, accepted: 0, refused: 0, cancelled: 0 };
  private readonly committed: CommittedWithdrawals;
  private readonly perDay: bigint;

  private constructor(
    private readonly platform: TestPlatform,
    /** Another instance on the same database, with the limit of the platform. */
    private readonly limited: INestApplicationContext,
    private readonly random: SeededRandom,
    private readonly users: readonly TestUser[],
  ) {
    this.committed = new CommittedWithdrawals(platform.dataSource, MODEL_TIER);
    this.perDay = platformPerDay(users.length);
  }

  /**
   * The platform has a LIMITS_FILE with `SEQUENCE_TIER`. Ends the jobs and the consumers of events, which would work for each of the
   * many days and withdrawals.
   */
  static async create(
    platform: TestPlatform,
    random: SeededRandom,
    userCount: number,
  ): Promise<ConcurrentSequences> {
    const users: TestUser[] = [];
    for (let i = 0; i < userCount; i++) users.push(await platform.given.user().withBalance('100000000.00'));
    const limited = await startReplicaWithoutPort(platform, {
      PLATFORM_WITHDRAWAL_PER_DAY: Money.of(toText(platformPerDay(userCount))),
    });
    for (const instance of [platform.app, limited]) {
      for (const job of instance.get(Jobs).all) await job.end();
      await instance.get(EventDispatcher).onModuleDestroy();
    }
    return new ConcurrentSequences(platform, limited, random, users);
  }

  async run(sequences: number): Promise<SequenceResults> {
    for (let batch = 0; this.counts.sequences < sequences; batch++) {
      const isLimited = batch % 2 === 1;
      await this.runBatch(isLimited ? this.limited : this.platform.app, isLimited);
      this.counts.sequences += this.users.length;
    }
    return { ...this.counts, ...this.committed.counts, contradictions: this.committed.contradictions };
  }

  private async runBatch(instance: INestApplicationContext, isLimited: boolean): Promise<void> {
    this.committed.startBatch(isLimited ? this.perDay : undefined);
    const accepted = this.users.map((): string[] => []);
    for (let step = 0; step < STEPS; step++) {
      await this.runStep(instance, isLimited, accepted);
      this.platform.clock.advance(this.random.oneOf(PAUSES));
    }
    for (let day = 0; this.committed.waiting > 0n && day < DAYS_UNTIL_RELEASED; day++) {
      this.platform.clock.advance(DAY_MS);
      await releaseWaiting(instance);
      await this.committed.readStep();
    }
    if (this.committed.waiting > 0n) this.contradict('a withdrawal still waits when the window is empty');
    this.platform.clock.advance(30 * DAY_MS);
  }

  /** Concurrent requests of all users, at most one cancellation of each, and two releases of what waits. */
  private async runStep(
    instance: INestApplicationContext,
    isLimited: boolean,
    accepted: readonly string[][],
  ): Promise<void> {
    const steps = this.users.map((user, index) => this.planStep(user, accepted[index] as string[]));
    const answers = new Map<Step, (string | undefined)[]>();
    const inOrder = steps.values(); // shared by the lanes
    const runLane = async (): Promise<void> => {
      for (const step of inOrder) answers.set(step, await sendStep(instance, step));
    };
    await Promise.all([
      ...Array.from({ length: LANES }, runLane),
      ...(isLimited ? [releaseWaiting(instance), releaseWaiting(instance)] : []),
    ]);
    const requested = await this.committed.readStep();
    const ids = steps.map((step) => answers.get(step) ?? []);
    const acceptedIds = ids.flat().filter((id) => id !== undefined);
    if (requested.size !== acceptedIds.length || !acceptedIds.every((id) => requested.has(id)))
      this.contradict(`${acceptedIds.length} requests were accepted, ${requested.size} are committed`);
    steps.forEach((step, index) => {
      this.countStep(step, ids[index] ?? []);
      accepted[index]?.push(...(ids[index] ?? []).filter((id) => id !== undefined));
    });
  }

  private planStep(user: TestUser, accepted: string[]): Step {
    const left = this.committed.leftAt(user.id, this.platform.clock.now().getTime());
    const amounts = Array.from({ length: this.random.integer(2, 3) }, () => this.chooseAmount(left));
    return { user, amounts, cancelled: this.random.next() < 0.3 ? accepted.pop() : undefined };
  }

  private countStep({ user, amounts, cancelled }: Step, answers: readonly (string | undefined)[]): void {
    // A refused amount did not fit with some of the others, and so does not fit with all of them.
    const left = this.committed.leftWithoutCancellations(user.id, this.platform.clock.now().getTime());
    const refused = amounts.filter((_, index) => answers[index] === undefined);
    for (const amount of refused)
      if (amount <= left) this.contradict(`${toText(amount)} was refused although ${toText(left)} was left`);
    this.counts.requests += amounts.length;
    this.counts.refused += refused.length;
    this.counts.accepted += amounts.length - refused.length;
    this.counts.cancelled += cancelled === undefined ? 0 : 1;
  }

  /** Amounts at the edge of what is left, and random ones. */
  private chooseAmount(left: bigint): bigint {
    const most = MODEL_TIER.perTransaction as bigint;
    const choice = this.random.next();
    if (left > 0n && choice < 0.4) return left;
    if (choice < 0.55) return left + 1n;
    if (left > 2n && choice < 0.75) return left / 2n;
    return BigInt(this.random.integer(1, Number(most)));
  }

  private contradict(description: string): void {
    this.committed.contradictions.push(description);
  }
}

function platformPerDay(userCount: number): bigint {
  return BigInt(userCount) * PLATFORM_PER_DAY_AND_USER * 1_000_000n;
}

async function releaseWaiting(instance: INestApplicationContext): Promise<void> {
  await instance.get(PlatformLimitJob).applyLimit(new AbortController().signal);
}

/** The ids of the withdrawals; undefined for those that a limit refuses. */
async function sendStep(
  instance: INestApplicationContext,
  { user, amounts, cancelled }: Step,
): Promise<(string | undefined)[]> {
  const withdrawals = instance.get(WithdrawalsService);
  const [answers] = await Promise.all([
    Promise.all(amounts.map((amount) => request(withdrawals, user.id, amount))),
    cancelled && withdrawals.cancelWithdrawal(cancelled, user.id),
  ]);
  return answers;
}

async function request(
  withdrawals: WithdrawalsService,
  userId: string,
  amount: bigint,
): Promise<string | undefined> {
  const body = { amount: toText(amount), currency: 'USDC', toAddress: DESTINATION };
  try {
    return (await withdrawals.requestWithdrawal(userId, body, NO_STEP_UP)).id;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'WITHDRAWAL_LIMIT_EXCEEDED') return undefined;
    throw error;
  }
}

/** The windows in the database, each ending with a withdrawal, that hold more than the limits of `SEQUENCE_TIER`. */
export async function findExceededWindows({ dataSource }: TestPlatform): Promise<unknown[]> {
  const sum = (days: number) => `(select sum(amount) from withdrawal as other where other.user_id = w.user_id
     and other.status <> 'rejected' and other.created_at <= w.created_at and other.created_at > w.created_at - interval '${days * 24} hours')`;
  const { perDay, perMonth } = SEQUENCE_TIER.withdrawal;
  return dataSource.query(
    `select id from withdrawal as w where w.status <> 'rejected' and (${sum(1)} > $1 or ${sum(30)} > $2)`,
    [perDay, perMonth],
  );
}
