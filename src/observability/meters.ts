import { Injectable } from '@nestjs/common';

/** The counters. All but `idempotency-replay` have a label, such as a posting's type or a rate class. */
export type CounterName =
  | 'posting'
  | 'idempotency-replay'
  | 'rate-limit-refusal'
  | 'overload-refusal'
  | 'connection-closed'
  | 'second-secret'
  | 'mail-attempt';

/** Counters of this process. Lower layers count; the metrics module reads. */
@Injectable()
export class Meters {
  private readonly counts = new Map<CounterName, Map<string, number>>();

  /** `label` comes from a fixed set, never from a request; empty for a counter without a label. */
  count(counter: CounterName, label = ''): void {
    const counts = this.counts.get(counter) ?? new Map<string, number>();
    this.counts.set(counter, counts.set(label, (counts.get(label) ?? 0) + 1));
  }

  /** The counts of a counter by label. */
  readCounts(counter: CounterName): ReadonlyMap<string, number> {
    return this.counts.get(counter) ?? new Map<string, number>();
  }
}
