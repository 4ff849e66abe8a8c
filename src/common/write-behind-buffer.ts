/** The latest value of each key until a job has stored it, so that no request waits for a write. */
export class WriteBehindBuffer<Value> {
  private readonly values = new Map<string, Value>();

  /** A buffer that has `maxKeys` keys drops the values of further keys, which bounds the memory while the database is unreachable. */
  constructor(private readonly maxKeys: number) {}

  get entries(): [key: string, value: Value][] {
    return [...this.values];
  }

  valueOf(key: string): Value | undefined {
    return this.values.get(key);
  }

  setValue(key: string, value: Value): void {
    if (this.values.size < this.maxKeys || this.values.has(key)) this.values.set(key, value);
  }

  /** Removes stored values, but not those that have changed since. */
  removeStored(entries: readonly (readonly [key: string, value: Value])[]): void {
    for (const [key, value] of entries) if (this.values.get(key) === value) this.values.delete(key);
  }
}
