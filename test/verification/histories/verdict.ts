import {
  bookingStatus,
  Expected,
  investmentStatus,
  isPossible,
  principalLeft,
  withdrawalStatus,
} from './expected.js';

/** What the platform shows of a user, item by item. */
export interface Found {
  funds: Record<'available' | 'reserved' | 'invested', string>;
  deposits: Item[];
  withdrawals: Item[];
  investments: Item[];
  bookings: Item[];
}
export interface Item {
  id: string;
  status: string;
  amount: string;
}

type List = Exclude<keyof Found, 'funds'>;

/** Everything in which the platform and the client's books differ; empty when nothing was lost and nothing done twice. */
export function differences(expected: Expected, found: Found): string[] {
  return [
    ...(['available', 'reserved', 'invested'] as const)
      .filter((name) => expected.funds[name] !== found.funds[name])
      .map((name) => `${name} is ${found.funds[name]}, not ${expected.funds[name]}`),
    ...(['deposits', 'withdrawals', 'investments', 'bookings'] as const).flatMap((list) =>
      compared(list, itemsOf(expected)[list], found[list]),
    ),
    ...[...expected.withdrawals, ...expected.investments, ...expected.bookings]
      .filter(([, told]) => !isPossible(told))
      .map(([id, { verbs }]) => `${id} was answered ${verbs.join(', ')}: that can not be`),
  ];
}

function itemsOf(expected: Expected): Record<List, Item[]> {
  const list = <T>(told: Map<string, T>, item: (one: T) => Omit<Item, 'id'>) =>
    [...told].map(([id, one]) => ({ id, ...item(one) }));
  return {
    deposits: list(expected.deposits, (amount) => ({ status: 'completed', amount: amount.toWire() })),
    withdrawals: list(expected.withdrawals, (told) => ({
      status: withdrawalStatus(told),
      amount: told.amount.toWire(),
    })),
    investments: list(expected.investments, (told) => ({
      status: investmentStatus(told),
      amount: isOpen(investmentStatus(told)) ? principalLeft(told).toWire() : 'ended',
    })),
    bookings: list(expected.bookings, (told) => ({
      status: bookingStatus(told),
      amount: told.amount.toWire(),
    })),
  };
}

/** What an investment shows as its amount is comparable while it is open. */
export function isOpen(status: string): boolean {
  return status === 'active' || status === 'pending';
}

function compared(list: List, expected: Item[], found: Item[]): string[] {
  const ids = new Set(expected.map(({ id }) => id));
  return [
    ...expected.flatMap((item) => {
      const same = found.filter(({ id }) => id === item.id);
      if (same.length === 0) return [`lost: ${list} ${text(item)}`];
      if (same.length > 1) return [`${same.length} times: ${list} ${text(item)}`];
      const [there] = same as [Item];
      return text(there) === text(item) ? [] : [`different: ${list} ${text(there)}, not ${text(item)}`];
    }),
    ...found.filter(({ id }) => !ids.has(id)).map((item) => `nobody's: ${list} ${text(item)}`),
  ];
}

function text({ id, status, amount }: Item): string {
  return `${id} ${status} ${amount}`;
}
