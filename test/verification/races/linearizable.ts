// Whether what callers saw of something could have happened one after another, each operation at one instant between
// its invocation and its response: the search of Wing and Gong, which passes over what it has been at before (Lowe).

/** One call and its answer; `from` and `to` count events, so that no two are the same. */
export interface Operation<Call, EnvelopedResponse> {
  readonly call: Call;
  readonly answer: EnvelopedResponse;
  readonly from: number;
  readonly to: number;
}

export interface Model<State, Call, EnvelopedResponse> {
  readonly start: State;
  /** The state after it; undefined where this answer can not be given in this state. */
  after(state: State, call: Call, answer: EnvelopedResponse): State | undefined;
  show(state: State): string;
}

/** Undefined when there is such an order; else how far the best one came. */
export function unexplained<State, Call, EnvelopedResponse>(
  history: readonly Operation<Call, EnvelopedResponse>[],
  model: Model<State, Call, EnvelopedResponse>,
): string | undefined {
  const operations = history.toSorted((a, b) => a.from - b.from);
  const seen = new Set<string>();
  let best = { placed: -1, text: '' };

  function next(done: ReadonlySet<number>): number[] {
    const candidates: number[] = [];
    let soonest = Infinity;
    for (const [place, { from, to }] of operations.entries()) {
      if (done.has(place)) continue;
      if (from > soonest) break; // all others were called after this one had been answered
      candidates.push(place);
      soonest = Math.min(soonest, to);
    }
    return candidates;
  }

  function search(state: State, done: ReadonlySet<number>): boolean {
    if (done.size === operations.length) return true;
    const candidates = next(done);
    const first = candidates[0] as number;
    const key = `${first} ${[...done]
      .filter((place) => place > first)
      .sort()
      .join()} ${model.show(state)}`;
    if (seen.has(key)) return false;
    seen.add(key);
    if (done.size > best.placed) {
      const left = candidates.map((place) => JSON.stringify(operations[place]));
      best = {
        placed: done.size,
        text: `${model.show(state)}, which answers none of\n  ${left.join('\n  ')}`,
      };
    }
    return candidates.some((place) => {
      const { call, answer } = operations[place] as Operation<Call, EnvelopedResponse>;
      const following = model.after(state, call, answer);
      return following !== undefined && search(following, new Set(done).add(place));
    });
  }

  if (search(model.start, new Set())) return undefined;
  return `after ${best.placed} of ${operations.length} operations there is ${best.text}`;
}
