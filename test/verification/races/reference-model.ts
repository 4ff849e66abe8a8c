import type { Model } from './linearizable.js';

// One user's money as a child would keep it, to judge the answers that its callers were given. Whole dollars; on one
// day, so that nothing grows.

export type Call =
  | { does: 'invest' | 'withdraw' | 'pay out by hand'; amount: number }
  | { does: 'deposit by hand'; amount: number }
  | { does: 'close' | 'cancel investment' | 'move'; id: string }
  | { does: 'close part'; id: string; amount: number }
  | { does: 'take' | 'complete' | 'reject' | 'cancel' | 'fail' | 'release'; id: string }
  | { does: 'look' };

export interface Funds {
  available: number;
  invested: number;
  reserved: number;
}

export interface EnvelopedResponse {
  /** Code of a refusal. */
  refused?: string;
  /** Of what was made: an investment, a withdrawal, a transaction. */
  id?: string;
  /** What a refusal for want of money says that there is, and what a look shows. */
  available?: number;
  funds?: Funds;
}

/** The postings that stand in the ledger for it, by type and the id of what they are about. */
export function postingsOf(call: Call, { refused, id }: EnvelopedResponse): string[] {
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
  /** Open ones: what is in them. */
  readonly investments: ReadonlyMap<string, number>;
  readonly withdrawals: ReadonlyMap<string, { readonly status: string; readonly amount: number }>;
}

const HOLDING = ['pending', 'processing', 'failed'];
/** verb → from → to. */
const STATES: Record<string, Record<string, string>> = {
  take: { pending: 'processing' },
  complete: { processing: 'completed' },
  reject: { pending: 'rejected', processing: 'rejected' },
  cancel: { pending: 'rejected' },
  fail: { processing: 'failed' },
  release: { failed: 'released' },
};

export function purseOf(available: number): Model<ReferenceModel, Call, EnvelopedResponse> {
  return {
    start: { available, investments: new Map(), withdrawals: new Map() },
    after,
    show: (purse) => {
      const open = [...purse.investments].sort();
      const withdrawals = [...purse.withdrawals].map(([id, { status }]) => `${id} ${status}`).sort();
      return JSON.stringify({ ...fundsOf(purse), open, withdrawals });
    },
  };
}

function fundsOf({ available, investments, withdrawals }: ReferenceModel): Funds {
  const held = [...withdrawals.values()].filter(({ status }) => HOLDING.includes(status));
  return {
    available,
    invested: [...investments.values()].reduce((sum, amount) => sum + amount, 0),
    reserved: held.reduce((sum, { amount }) => sum + amount, 0),
  };
}

function after(purse: ReferenceModel, call: Call, answer: EnvelopedResponse): ReferenceModel | undefined {
  switch (call.does) {
    case 'look':
      return JSON.stringify(answer.funds) === JSON.stringify(fundsOf(purse)) ? purse : undefined;
    case 'deposit by hand':
      return answer.refused ? undefined : { ...purse, available: purse.available + call.amount };
    case 'invest':
    case 'withdraw':
    case 'pay out by hand':
      return spent(purse, call, answer);
    case 'close':
    case 'cancel investment':
    case 'move':
    case 'close part':
      return divested(purse, call, answer);
    default:
      return moved(purse, call, answer);
  }
}

function spent(
  purse: ReferenceModel,
  { does, amount }: Extract<Call, { does: 'invest' | 'withdraw' | 'pay out by hand' }>,
  { refused, available, id }: EnvelopedResponse,
): ReferenceModel | undefined {
  if (refused) {
    const isTrue = purse.available < amount && purse.available === available;
    return refused === 'INSUFFICIENT_BALANCE' && isTrue ? purse : undefined;
  }
  if (purse.available < amount) return undefined;
  const left = { ...purse, available: purse.available - amount };
  if (does === 'invest')
    return { ...left, investments: new Map(purse.investments).set(id as string, amount) };
  if (does === 'pay out by hand') return left;
  return {
    ...left,
    withdrawals: new Map(purse.withdrawals).set(id as string, { status: 'pending', amount }),
  };
}

type Divestment = Extract<Call, { does: 'close' | 'cancel investment' | 'move' | 'close part' }>;

function divested(
  purse: ReferenceModel,
  call: Divestment,
  { refused, id }: EnvelopedResponse,
): ReferenceModel | undefined {
  const held = purse.investments.get(call.id);
  const investments = new Map(purse.investments);
  if (held === undefined) return refused === 'INVESTMENT_ALREADY_CLOSED' ? purse : undefined;
  const isTooMuch = call.does === 'close part' && call.amount > held;
  if (isTooMuch) return refused === 'INVALID_AMOUNT' ? purse : undefined;
  if (refused) return undefined;
  const out = call.does === 'close part' ? call.amount : held;
  if (out === held) investments.delete(call.id);
  else investments.set(call.id, held - out);
  if (call.does === 'move') return { ...purse, investments: investments.set(id as string, held) };
  return { ...purse, investments, available: purse.available + out };
}

function moved(
  purse: ReferenceModel,
  { does, id }: Extract<Call, { id: string }>,
  { refused }: EnvelopedResponse,
): ReferenceModel | undefined {
  const before = purse.withdrawals.get(id);
  const status = STATES[does]?.[before?.status ?? ''];
  if (!before || !status) return before && refused === 'INVALID_STATE' ? purse : undefined;
  if (refused) return undefined;
  const withdrawals = new Map(purse.withdrawals).set(id, { ...before, status });
  const isBack = status === 'rejected' || status === 'released';
  return { ...purse, withdrawals, available: purse.available + (isBack ? before.amount : 0) };
}
