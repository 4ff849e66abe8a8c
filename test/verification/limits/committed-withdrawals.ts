import type { DataSource } from 'typeorm';
import {
  LimitModel,
  PlatformModel,
  toMicro,
  toText,
  type ModelTier,
  type ModelWithdrawal,
} from './limit-model.js';

/** A committed change of a withdrawal. */
interface Change {
  readonly number: string;
  readonly type: 'withdrawal.requested' | 'withdrawal.cancelled' | 'withdrawal-limit.released';
  readonly id: string;
  readonly userId: string;
  readonly amount: string;
  readonly at: Date;
  readonly isHeld: boolean;
}

// Events are numbered under the locks of their transactions, so that changes which count in one window are in their order.
const CHANGES = `
  select event.number::text, event.type, withdrawal.id, withdrawal.user_id as "userId", withdrawal.amount::text,
         case event.type when 'withdrawal.requested' then withdrawal.created_at
                         when 'withdrawal.cancelled' then withdrawal.cancelled_at
                         else withdrawal.platform_released_at end as at,
         withdrawal.platform_held_at is not null as "isHeld"
    from domain_event as event join withdrawal on withdrawal.id = event.subject_id::uuid
   where event.number > $1
     and event.type in ('withdrawal.requested', 'withdrawal.cancelled', 'withdrawal-limit.released')
   order by event.number`;

interface Entry {
  readonly withdrawal: ModelWithdrawal;
  /** The time from which it counts for the limit of the platform; undefined while it waits. */
  countsFrom: number | undefined;
}

/** Reads the committed withdrawals, and recomputes the windows in whole micro-units at each change of them. */
export class CommittedWithdrawals {
  /** Descriptions of windows that were exceeded, and of withdrawals that wait although there was room. */
  readonly contradictions: string[] = [];
  readonly counts = { held: 0, released: 0 };
  private last = '0';
  private platform = new PlatformModel(undefined);
  private readonly models = new Map<string, LimitModel>();
  private readonly entries = new Map<string, Entry>();
  /** The withdrawals that were cancelled in the last step. A concurrent request may have counted them or not. */
  private cancelled: { readonly userId: string; readonly withdrawal: ModelWithdrawal }[] = [];

  constructor(
    private readonly dataSource: DataSource,
    private readonly tier: ModelTier,
  ) {}

  /** Forgets all withdrawals. Call it when no window contains one of them any more. */
  startBatch(platformPerDay: bigint | undefined): void {
    this.models.clear();
    this.entries.clear();
    this.platform = new PlatformModel(platformPerDay);
  }

  get waiting(): bigint {
    return this.platform.waiting;
  }

  leftAt(userId: string, at: number): bigint {
    return this.modelOf(userId).leftAt(at);
  }

  /** The amount that the limits left for the user after all changes of the last step but the cancellations. */
  leftWithoutCancellations(userId: string, at: number): bigint {
    const own = this.cancelled.filter((cancelled) => cancelled.userId === userId);
    for (const { withdrawal } of own) withdrawal.counts = true;
    const left = this.leftAt(userId, at);
    for (const { withdrawal } of own) withdrawal.counts = false;
    return left;
  }

  /** Reads the changes since the last call. Returns the ids of the withdrawals that were requested. */
  async readStep(): Promise<ReadonlySet<string>> {
    const changes = await this.dataSource.query<Change[]>(CHANGES, [this.last]);
    this.last = changes.at(-1)?.number ?? this.last;
    this.cancelled = [];
    for (const change of changes) {
      if (change.type === 'withdrawal.requested') this.request(change);
      else if (change.type === 'withdrawal.cancelled') this.cancel(change);
      else this.release(change);
    }
    return new Set(changes.filter(({ type }) => type === 'withdrawal.requested').map(({ id }) => id));
  }

  private request({ id, userId, amount: text, at: time, isHeld }: Change): void {
    const at = time.getTime();
    const amount = toMicro(text);
    const left = this.leftAt(userId, at);
    if (amount > left) this.contradict(`${text} was accepted although ${toText(left)} was left`);
    const withdrawal = this.modelOf(userId).accept(at, amount);
    this.entries.set(id, { withdrawal, countsFrom: isHeld ? undefined : at });
    if (isHeld) {
      const sumOfCancelled = this.cancelled.reduce((sum, other) => sum + other.withdrawal.amount, 0n);
      if (amount + sumOfCancelled <= this.platform.leftAt(at)) this.contradict(`${text} waits without need`);
      this.platform.waiting += amount;
      this.counts.held++;
    } else this.countForPlatform(at, amount);
  }

  private cancel({ id, userId }: Change): void {
    const { withdrawal, countsFrom } = this.entries.get(id) as Entry;
    withdrawal.counts = false;
    this.cancelled.push({ userId, withdrawal });
    if (countsFrom === undefined) this.platform.waiting -= withdrawal.amount;
    else this.platform.count(countsFrom, -withdrawal.amount);
  }

  private release({ id, at }: Change): void {
    const entry = this.entries.get(id) as Entry;
    entry.countsFrom = at.getTime();
    this.platform.waiting -= entry.withdrawal.amount;
    this.countForPlatform(entry.countsFrom, entry.withdrawal.amount);
    this.counts.released++;
  }

  private countForPlatform(at: number, amount: bigint): void {
    this.platform.count(at, amount);
    if (this.platform.isExceededAt(at))
      this.contradict(`${toText(amount)} exceeded the limit of the platform`);
  }

  private modelOf(userId: string): LimitModel {
    const model = this.models.get(userId) ?? new LimitModel(this.tier);
    this.models.set(userId, model);
    return model;
  }

  private contradict(description: string): void {
    this.contradictions.push(description);
  }
}
