import {
  bookingStatus,
  ExpectedAccount,
  investmentStatus,
  isPossible,
  principalLeft,
  withdrawalStatus,
} from './expected-account.js';

/** A user's records and balances as the API shows them. */
export interface ApiState {
  funds: Record<'available' | 'reserved' | 'invested', string>;
  deposits: Item[];
  withdrawals: Item[];
  investments: Item[];
  bookings: Item[];
}
export interface Item {
  id: string;
  status: string;
  /** Of an investment that has ended: `ended`, because its amount is not compared. */
  amount: string;
}

type List = Exclude<keyof ApiState, 'funds'>;

/** All differences between the API and the expected account; empty if no write was lost or carried out twice. */
export function differences(expected: ExpectedAccount, actual: ApiState): string[] {
  return [
    ...(['available', 'reserved', 'invested'] as const)
      .filter((name) => expected.funds[name] !== actual.funds[name])
      .map((name) => `${name} is ${actual.funds[name]}, not ${expected.funds[name]}`),
    ...(['deposits', 'withdrawals', 'investments', 'bookings'] as const).flatMap((list) =>
      differencesInList(list, expectedItems(expected)[list], actual[list]),
    ),
    ...[...expected.withdrawals, ...expected.investments, ...expected.bookings]
      .filter(([, recorded]) => !isPossible(recorded))
      .map(([id, { verbs }]) => `the API acknowledged an impossible sequence for ${id}: ${verbs.join(', ')}`),
  ];
}

function expectedItems(expected: ExpectedAccount): Record<List, Item[]> {
  const list = <T>(recorded: Map<string, T>, fieldsOf: (entry: T) => Omit<Item, 'id'>) =>
    [...recorded].map(([id, entry]) => ({ id, ...fieldsOf(entry) }));
  return {
    deposits: list(expected.deposits, (amount) => ({ status: 'completed', amount: amount.toWire() })),
    withdrawals: list(expected.withdrawals, (recorded) => ({
      status: withdrawalStatus(recorded),
      amount: recorded.amount.toWire(),
    })),
    // An investment that was moved away is in no list.
    investments: list(
      new Map([...expected.investments].filter(([, { verbs }]) => !verbs.includes('move'))),
      (recorded) => ({
        status: investmentStatus(recorded),
        amount: isOpen(investmentStatus(recorded)) ? principalLeft(recorded).toWire() : 'ended',
      }),
    ),
    bookings: list(expected.bookings, (recorded) => ({
      status: bookingStatus(recorded),
      amount: recorded.amount.toWire(),
    })),
  };
}

/** Whether an investment with this status is open: only then its amount is compared. */
export function isOpen(status: string): boolean {
  return status === 'active' || status === 'pending';
}

function differencesInList(list: List, expected: Item[], actual: Item[]): string[] {
  const ids = new Set(expected.map(({ id }) => id));
  return [
    ...expected.flatMap((item) => {
      const same = actual.filter(({ id }) => id === item.id);
      if (same.length === 0) return [`lost: ${list} ${text(item)}`];
      if (same.length > 1) return [`${same.length} times: ${list} ${text(item)}`];
      const [actualItem] = same as [Item];
      return text(actualItem) === text(item)
        ? []
        : [`different: ${list} ${text(actualItem)}, not ${text(item)}`];
    }),
    ...actual.filter(({ id }) => !ids.has(id)).map((item) => `unexpected: ${list} ${text(item)}`),
  ];
}

function text({ id, status, amount }: Item): string {
  return `${id} ${status} ${amount}`;
}
