import { Groups } from '../common/groups.js';
import type { PgNotifications } from './pg-notifications.js';

interface CacheOptions<Value> {
  /** Topic of the notifications about changed rows; each has the id of a value. */
  readonly topic: string;
  readonly maxEntries: number;
  idOf(value: Value, key: string): string;
  /** A notification about this user removes the value, too. */
  userIdOf(value: Value): string;
}

/**
 * A cache of rows in the memory of this process, so that a request costs no query. A database notification about a row or its
 * user removes the row. While notifications may be late or lost (`isCurrent` is false), every call reads the database.
 */
export class NotifiedCache<Value> {
  private readonly valueByKey = new Map<string, Value>();
  private readonly keyById = new Map<string, string>();
  private readonly idsByUser = new Groups<string>();
  /** Counts the calls of `forget`: a value whose read was under way at such a call may be outdated and is not cached. */
  private forgetCount = 0;

  constructor(
    private readonly notifications: PgNotifications,
    private readonly options: CacheOptions<Value>,
  ) {
    notifications.subscribe(options.topic, (id) => this.forget([id]));
    notifications.subscribe('user', (userId) => this.forgetUser(userId));
    notifications.onReconnect(() => this.forget(this.keyById.keys()));
  }

  /** The value of `key`, from the cache or from `read`, which reads the database; undefined if there is no such row. */
  async find(key: string, read: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const cached = this.notifications.isCurrent ? this.valueByKey.get(key) : undefined;
    if (cached !== undefined) return cached;
    const countBefore = this.forgetCount;
    const value = await read();
    if (value !== undefined && this.forgetCount === countBefore && this.notifications.isCurrent)
      this.store(key, value);
    return value;
  }

  /** Removes values: after a notification, and at once after a change by this process. */
  forget(ids: Iterable<string>): void {
    this.forgetCount++;
    for (const id of [...ids]) {
      const key = this.keyById.get(id);
      const value = key === undefined ? undefined : this.valueByKey.get(key);
      if (key === undefined || value === undefined) continue;
      this.keyById.delete(id);
      this.valueByKey.delete(key);
      this.idsByUser.removeFrom(this.options.userIdOf(value), id);
    }
  }

  /** As `forget`, for all values of a user. */
  forgetUser(userId: string): void {
    this.forget(this.idsByUser.membersOf(userId));
  }

  private store(key: string, value: Value): void {
    if (this.valueByKey.size >= this.options.maxEntries)
      for (const map of [this.valueByKey, this.keyById, this.idsByUser]) map.clear();
    const id = this.options.idOf(value, key);
    this.valueByKey.set(key, value);
    this.keyById.set(id, key);
    this.idsByUser.addTo(this.options.userIdOf(value), id);
  }
}
