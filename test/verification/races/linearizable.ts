// Checks whether a history is linearizable: whether some sequential order explains all responses, with each operation
// between its invocation and its response (search of Wing and Gong with memoisation by Lowe).

/** A call and its answer; `from` and `to` are unique event numbers. */
export interface Operation<Call, Answer> {
  readonly call: Call;
  readonly answer: Answer;
  readonly from: number;
  readonly to: number;
}

export interface Model<State, Call, EnvelopedResponse> {
  readonly start: State;
  /** The next state; undefined if the answer is impossible in this state. */
  after(state: State, call: Call, answer: EnvelopedResponse): State | undefined;
  show(state: State): string;
}

/** Undefined for a linearizable history; otherwise describes the longest explained prefix. */
export function linearizationError<State, Call, EnvelopedResponse>(
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
      if (from > soonest) break; // the remaining operations started after this one had ended
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
