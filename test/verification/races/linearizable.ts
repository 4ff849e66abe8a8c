// Checks whether a history is linearizable: whether some sequential order explains all responses, with each operation
// between its invocation and its response (search of Wing and Gong with memoisation by Lowe).

/** A call and its answer. `from` numbers the event of the call, `to` that of the answer; all numbers are different. */
export interface Operation<Call, Answer> {
  readonly call: Call;
  readonly answer: Answer;
  readonly from: number;
  readonly to: number;
}

export interface Model<State, Call, Answer> {
  readonly start: State;
  /** The next state; undefined if the answer is impossible in this state. */
  after(state: State, call: Call, answer: Answer): State | undefined;
  /** A text that identifies the state, by which the search skips states that it has already searched. */
  show(state: State): string;
}

/** Undefined for a linearizable history; otherwise describes the longest explained prefix. */
export function linearizationError<State, Call, Answer>(
  history: readonly Operation<Call, Answer>[],
  model: Model<State, Call, Answer>,
): string | undefined {
  const operations = history.toSorted((a, b) => a.from - b.from);
  const searched = new Set<string>();
  let longest = { length: -1, text: '' };

  function candidatesAfter(done: ReadonlySet<number>): number[] {
    const candidates: number[] = [];
    let earliestEnd = Infinity;
    for (const [index, { from, to }] of operations.entries()) {
      if (done.has(index)) continue;
      if (from > earliestEnd) break; // this and all later operations started after a candidate had ended
      candidates.push(index);
      earliestEnd = Math.min(earliestEnd, to);
    }
    return candidates;
  }

  function search(state: State, done: ReadonlySet<number>): boolean {
    if (done.size === operations.length) return true;
    const candidates = candidatesAfter(done);
    const first = candidates[0] as number;
    // All operations before the first candidate are done, so that the key needs only the later ones.
    const key = `${first} ${[...done]
      .filter((index) => index > first)
      .sort()
      .join()} ${model.show(state)}`;
    if (searched.has(key)) return false;
    searched.add(key);
    if (done.size > longest.length) {
      const unexplained = candidates.map((index) => JSON.stringify(operations[index]));
      longest = {
        length: done.size,
        text: `${model.show(state)} explains none of\n  ${unexplained.join('\n  ')}`,
      };
    }
    return candidates.some((index) => {
      const { call, answer } = operations[index] as Operation<Call, Answer>;
      const nextState = model.after(state, call, answer);
      return nextState !== undefined && search(nextState, new Set(done).add(index));
    });
  }

  if (search(model.start, new Set())) return undefined;
  return `after ${longest.length} of ${operations.length} operations the state ${longest.text}`;
}
