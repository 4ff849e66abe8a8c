import { Injectable } from '@nestjs/common';

/** What is counted below the metrics, each by a word of its own: a posting's type, a rate class. */
export type Counted =
  'posting' | 'idempotency-replay' | 'rate-limit-refusal' | 'overload-refusal' | 'second-secret';

/** How often things have happened in this process. Whoever counts knows nothing of who reads. */
@Injectable()
export class Meters {
  private readonly counts = new Map<Counted, Map<string, number>>();

  /** `word` is one of a few that the code knows, never something that a caller sent. */
  count(what: Counted, word = ''): void {
    const counts = this.counts.get(what) ?? new Map<string, number>();
    this.counts.set(what, counts.set(word, (counts.get(word) ?? 0) + 1));
  }

  of(what: Counted): ReadonlyMap<string, number> {
    return this.counts.get(what) ?? new Map<string, number>();
  }
}
