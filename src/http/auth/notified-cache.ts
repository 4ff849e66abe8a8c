import { Groups } from '../../common/groups.js';
import type { PgNotifications } from '../../database/pg-notifications.js';

interface CacheOptions<Value> {
  /** Topic of the notifications about changed rows; each has the id of a value. */
  readonly topic: string;
  readonly maxEntries: number;
  /** The ids of the value and of its user. A notification about either removes the value. */
  idsOf(value: Value, key: string): readonly string[];
}

/**
 * A cache of rows in the memory of this process, so that a request costs no query. A database notification about a row or its
 * user removes the row. While notifications may be late or lost (`isCurrent` is false), every call reads the database.
 */
export class NotifiedCache<Value> {
  private readonly valueByKey = new Map<string, Value>();
  private readonly keysById = new Groups<string>();
  /** Counts the calls of `forget`: a value whose read was under way at such a call may be outdated and is not cached. */
  private forgetCount = 0;

  constructor(
    private readonly notifications: PgNotifications,
    private readonly options: CacheOptions<Value>,
  ) {
    for (const topic of [options.topic, 'user']) notifications.subscribe(topic, (id) => this.forget([id]));
    notifications.onReconnect(() => this.clear());
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

  /** Removes the values with these ids or of these users: after a notification, and at once after a change by this process. */
  forget(ids: Iterable<string>): void {
    this.forgetCount++;
    for (const id of ids) {
      for (const key of [...this.keysById.membersOf(id)]) {
        for (const name of this.options.idsOf(this.valueByKey.get(key) as Value, key))
          this.keysById.removeFrom(name, key);
        this.valueByKey.delete(key);
      }
    }
  }

  private clear(): void {
    this.forgetCount++;
    this.valueByKey.clear();
    this.keysById.clear();
  }

  private store(key: string, value: Value): void {
    if (this.valueByKey.size >= this.options.maxEntries) this.clear();
    this.valueByKey.set(key, value);
    for (const id of this.options.idsOf(value, key)) this.keysById.addTo(id, key);
  }
}
