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

export interface ReferenceModel {
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

export function initialModel(available: number): Model<ReferenceModel, Call, ModelAnswer> {
  return {
    start: { available, investments: new Map(), withdrawals: new Map() },
    after,
    show: (model) => {
      const open = [...model.investments].sort();
      const withdrawals = [...model.withdrawals].map(([id, { status }]) => `${id} ${status}`).sort();
      return JSON.stringify({ ...fundsOf(model), open, withdrawals });
    },
  };
}

function fundsOf({ available, investments, withdrawals }: ReferenceModel): Funds {
  const reserving = [...withdrawals.values()].filter(({ status }) => RESERVED_STATES.includes(status));
  return {
    available,
    invested: [...investments.values()].reduce((sum, amount) => sum + amount, 0),
    reserved: reserving.reduce((sum, { amount }) => sum + amount, 0),
  };
}

function after(model: ReferenceModel, call: Call, answer: ModelAnswer): ReferenceModel | undefined {
  switch (call.does) {
    case 'read':
      return JSON.stringify(answer.funds) === JSON.stringify(fundsOf(model)) ? model : undefined;
    case 'deposit by hand':
      return answer.refused ? undefined : { ...model, available: model.available + call.amount };
    case 'invest':
    case 'withdraw':
    case 'pay out by hand':
      return afterSpending(model, call, answer);
    case 'close':
    case 'cancel investment':
    case 'move':
    case 'close part':
      return afterDivestment(model, call, answer);
    default:
      return afterTransition(model, call, answer);
  }
}

function afterSpending(
  model: ReferenceModel,
  { does, amount }: Extract<Call, { does: 'invest' | 'withdraw' | 'pay out by hand' }>,
  { refused, available, id }: ModelAnswer,
): ReferenceModel | undefined {
  if (refused) {
    const isJustified = model.available < amount && model.available === available;
    return refused === 'INSUFFICIENT_BALANCE' && isJustified ? model : undefined;
  }
  if (model.available < amount) return undefined;
  const remaining = { ...model, available: model.available - amount };
  if (does === 'invest')
    return { ...remaining, investments: new Map(model.investments).set(id as string, amount) };
  if (does === 'pay out by hand') return remaining;
  return {
    ...remaining,
    withdrawals: new Map(model.withdrawals).set(id as string, { status: 'pending', amount }),
  };
}

type Divestment = Extract<Call, { does: 'close' | 'cancel investment' | 'move' | 'close part' }>;

function afterDivestment(
  model: ReferenceModel,
  call: Divestment,
  { refused, id }: ModelAnswer,
): ReferenceModel | undefined {
  const principal = model.investments.get(call.id);
  const investments = new Map(model.investments);
  if (principal === undefined) return refused === 'INVESTMENT_ALREADY_CLOSED' ? model : undefined;
  const isTooMuch = call.does === 'close part' && call.amount > principal;
  if (isTooMuch) return refused === 'INVALID_AMOUNT' ? model : undefined;
  if (refused) return undefined;
  const closed = call.does === 'close part' ? call.amount : principal;
  if (closed === principal) investments.delete(call.id);
  else investments.set(call.id, principal - closed);
  if (call.does === 'move') return { ...model, investments: investments.set(id as string, principal) };
  return { ...model, investments, available: model.available + closed };
}

function afterTransition(
  model: ReferenceModel,
  { does, id }: Extract<Call, { id: string }>,
  { refused }: ModelAnswer,
): ReferenceModel | undefined {
  const withdrawal = model.withdrawals.get(id);
  if (!withdrawal) return undefined;
  const status = TRANSITIONS[does]?.[withdrawal.status];
  if (!status) return refused === 'INVALID_STATE' ? model : undefined;
  if (refused) return undefined;
  const withdrawals = new Map(model.withdrawals).set(id, { ...withdrawal, status });
  const isReturned = status === 'rejected' || status === 'released';
  return { ...model, withdrawals, available: model.available + (isReturned ? withdrawal.amount : 0) };
}
