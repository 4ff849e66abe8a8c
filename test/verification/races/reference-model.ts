import type { Model } from './linearizable.js';

// A sequential model of one user's money, against which recorded answers are checked. Amounts are whole dollars, and a
// history lies within one day, so that investments do not grow.

export type Call =
  | { does: 'invest' | 'withdraw' | 'pay out by hand'; amount: number }
  | { does: 'deposit by hand'; amount: number }
  | { does: 'close' | 'cancel investment' | 'move'; id: string }
  | { does: 'close part'; id: string; amount: number }
  | { does: 'take' | 'complete' | 'reject' | 'cancel' | 'fail' | 'release'; id: string } // release: confirm a reversal
  | { does: 'read' };

export interface Funds {
  available: number;
  invested: number;
  reserved: number;
}

export interface ModelAnswer {
  /** Error code of a refusal. */
  refused?: string;
  /** Of a refusal, for the person who reads a history that has no sequential order. */
  message?: string;
  /** Id of the created record. */
  id?: string;
  /** The available balance in a refusal for insufficient balance. */
  available?: number;
  funds?: Funds;
}

/** The postings of an answered call, as `type reference`. */
export function postingsOf(call: Call, { refused, id }: ModelAnswer): string[] {
  if (refused) return [];
  switch (call.does) {
    case 'invest':
      return [`investment ${id}`];
    case 'withdraw':
      return [`withdrawal-requested ${id}`];
    case 'deposit by hand':
      return [`deposit ${id}`];
    case 'pay out by hand':
      return [`withdrawal-completed ${id}`];
    case 'close':
    case 'close part':
    case 'cancel investment':
      return [`divestment ${call.id}`];
    case 'move':
      return [`divestment ${call.id}`, `investment ${id}`];
    case 'complete':
      return [`withdrawal-completed ${call.id}`];
    case 'reject':
    case 'cancel':
    case 'release':
      return [`withdrawal-released ${call.id}`];
    default:
      return [];
  }
}

/** A state of the model. */
export interface ModelState {
  readonly available: number;
  /** Open investments: id → principal. */
  readonly investments: ReadonlyMap<string, number>;
  readonly withdrawals: ReadonlyMap<string, { readonly status: string; readonly amount: number }>;
}

/** The states in which the amount of a withdrawal is reserved. */
const RESERVED_STATES = ['pending', 'processing', 'failed'];
/** For each operation: the next state by the present state. */
const TRANSITIONS: Record<string, Record<string, string>> = {
  take: { pending: 'processing' },
  complete: { processing: 'completed' },
  reject: { pending: 'rejected', processing: 'rejected' },
  cancel: { pending: 'rejected' },
  fail: { processing: 'failed' },
  release: { failed: 'released' },
};

/** The model of a user who has only this available balance at first. */
export function initialModel(available: number): Model<ModelState, Call, ModelAnswer> {
  return {
    start: { available, investments: new Map(), withdrawals: new Map() },
    after,
    show: (state) => {
      const open = [...state.investments].sort();
      const withdrawals = [...state.withdrawals].map(([id, { status }]) => `${id} ${status}`).sort();
      return JSON.stringify({ ...fundsOf(state), open, withdrawals });
    },
  };
}

function fundsOf({ available, investments, withdrawals }: ModelState): Funds {
  const reserving = [...withdrawals.values()].filter(({ status }) => RESERVED_STATES.includes(status));
  return {
    available,
    invested: [...investments.values()].reduce((sum, amount) => sum + amount, 0),
    reserved: reserving.reduce((sum, { amount }) => sum + amount, 0),
  };
}

function after(state: ModelState, call: Call, answer: ModelAnswer): ModelState | undefined {
  switch (call.does) {
    case 'read':
      return JSON.stringify(answer.funds) === JSON.stringify(fundsOf(state)) ? state : undefined;
    case 'deposit by hand':
      return answer.refused ? undefined : { ...state, available: state.available + call.amount };
    case 'invest':
    case 'withdraw':
    case 'pay out by hand':
      return afterSpending(state, call, answer);
    case 'close':
    case 'cancel investment':
    case 'move':
    case 'close part':
      return afterDivestment(state, call, answer);
    default:
      return afterTransition(state, call, answer);
  }
}

function afterSpending(
  state: ModelState,
  { does, amount }: Extract<Call, { does: 'invest' | 'withdraw' | 'pay out by hand' }>,
  { refused, available, id }: ModelAnswer,
): ModelState | undefined {
  if (refused) {
    const isJustified = state.available < amount && state.available === available;
    return refused === 'INSUFFICIENT_BALANCE' && isJustified ? state : undefined;
  }
  if (state.available < amount) return undefined;
  const remaining = { ...state, available: state.available - amount };
  if (does === 'invest')
    return { ...remaining, investments: new Map(state.investments).set(id as string, amount) };
  if (does === 'pay out by hand') return remaining;
  return {
    ...remaining,
    withdrawals: new Map(state.withdrawals).set(id as string, { status: 'pending', amount }),
  };
}

type Divestment = Extract<Call, { does: 'close' | 'cancel investment' | 'move' | 'close part' }>;

function afterDivestment(
  state: ModelState,
  call: Divestment,
  { refused, id }: ModelAnswer,
): ModelState | undefined {
  const principal = state.investments.get(call.id);
  const investments = new Map(state.investments);
  if (principal === undefined) return refused === 'INVESTMENT_ALREADY_CLOSED' ? state : undefined;
  const isTooMuch = call.does === 'close part' && call.amount > principal;
  if (isTooMuch) return refused === 'INVALID_AMOUNT' ? state : undefined;
  if (refused) return undefined;
  const closed = call.does === 'close part' ? call.amount : principal;
  if (closed === principal) investments.delete(call.id);
  else investments.set(call.id, principal - closed);
  if (call.does === 'move') return { ...state, investments: investments.set(id as string, principal) };
  return { ...state, investments, available: state.available + closed };
}

function afterTransition(
  state: ModelState,
  { does, id }: Extract<Call, { id: string }>,
  { refused }: ModelAnswer,
): ModelState | undefined {
  const withdrawal = state.withdrawals.get(id);
  if (!withdrawal) return undefined;
  const status = TRANSITIONS[does]?.[withdrawal.status];
  if (!status) return refused === 'INVALID_STATE' ? state : undefined;
  if (refused) return undefined;
  const withdrawals = new Map(state.withdrawals).set(id, { ...withdrawal, status });
  const isReturned = status === 'rejected' || status === 'released';
  return { ...state, withdrawals, available: state.available + (isReturned ? withdrawal.amount : 0) };
}
