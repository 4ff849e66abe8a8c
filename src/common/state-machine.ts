import { throwError } from './errors/domain-error.js';

/** One row of a state machine: `verb` leads from any of `from` to `to`. */
export interface Transition<State extends string, Verb extends string> {
  readonly verb: Verb;
  readonly from: readonly State[];
  readonly to: State;
}

/** A state machine defined by a table of transitions. */
export class StateMachine<State extends string, Verb extends string> {
  constructor(readonly transitions: readonly Transition<State, Verb>[]) {}

  allowedFrom(verb: Verb): State[] {
    return this.transitions.filter((row) => row.verb === verb).flatMap((row) => [...row.from]);
  }

  /** The state that `verb` leads to. If `status` does not allow `verb`, throws INVALID_STATE with the states that do. */
  next(status: State, verb: Verb): State {
    const row = this.transitions.find(({ verb: rowVerb, from }) => rowVerb === verb && from.includes(status));
    if (!row) throwError('INVALID_STATE', { status, action: verb, allowedFrom: this.allowedFrom(verb) });
    return row.to;
  }

  /** Throws INVALID_STATE unless the verb is allowed. For callers that do not change the state, or not yet. */
  requireAllowed(status: State, verb: Verb): void {
    this.next(status, verb);
  }
}
