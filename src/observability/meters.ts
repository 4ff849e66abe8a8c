import { Injectable } from '@nestjs/common';

/** The counters, each with one label: a posting's type, a rate class. */
export type Counted =
  | 'posting'
  | 'idempotency-replay'
  | 'rate-limit-refusal'
  | 'overload-refusal'
  | 'second-secret'
  | 'mail-attempt';

/** Counters of this process. Lower layers count; the metrics module reads. */
@Injectable()
export class Meters {
  private readonly counts = new Map<Counted, Map<string, number>>();

  /** `label` comes from a fixed set, never from a request. */
  count(what: Counted, label = ''): void {
    const counts = this.counts.get(what) ?? new Map<string, number>();
    this.counts.set(what, counts.set(label, (counts.get(label) ?? 0) + 1));
  }

  /** By label. */
  readCounts(what: Counted): ReadonlyMap<string, number> {
    return this.counts.get(what) ?? new Map<string, number>();
  }
}
