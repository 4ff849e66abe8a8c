import type { TransactionDetailResponse } from 'stablecoin-platform-client/routes';

type TransactionType = TransactionDetailResponse['type'];

type Name = readonly [english: string, german: string];

interface TypeOfTransaction {
  readonly name: Name;
  /** What operators read, if it is another name. */
  readonly operatorsName?: Name;
  /**
   * The types of postings that belong to a transaction of the type. A posting proves the amount if it adds the amount to the
   * available balance (1) or takes it from there (-1); others (0) only belong to it.
   */
  readonly postings: Readonly<Record<string, 1 | -1 | 0>>;
}

export const TRANSACTION_TYPES: Readonly<Record<TransactionType, TypeOfTransaction>> = {
  deposit: {
    name: ['Deposit', 'Einzahlung'],
    postings: { 'deposit-held': 0, 'deposit-reversed': 0, deposit: 1 },
  },
  // The money is reserved by the request, and leaves the available balance on completion only if it was booked by hand.
  withdrawal: {
    name: ['Withdrawal', 'Auszahlung'],
    postings: { 'withdrawal-requested': -1, 'withdrawal-released': 0, 'withdrawal-completed': -1 },
  },
  investment: {
    name: ['Investment', 'Anlage'],
    operatorsName: ['Investment', 'Investition'],
    postings: { investment: -1, 'units-issued': 0 },
  },
  divestment: {
    name: ['Closing', 'Beendigung'],
    operatorsName: ['Closing', 'Schließung'],
    postings: { divestment: 1, forfeit: 0 },
  },
  // A loss has an amount below zero.
  earning: { name: ['Growth', 'Zuwachs'], operatorsName: ['Growth', 'Ertrag'], postings: { earning: 1 } },
  fee: { name: ['Fee', 'Gebühr'], postings: { fee: -1 } },
  // The first posting returns a failed withdrawal, the second takes back a credited deposit.
  reversal: { name: ['Reversal', 'Rückbuchung'], postings: { 'withdrawal-released': 1, deposit: -1 } },
};

const namesOf = (nameOf: (type: TypeOfTransaction) => Name) =>
  Object.fromEntries(
    Object.entries(TRANSACTION_TYPES).map(([type, facts]) => [type, nameOf(facts)]),
  ) as Record<TransactionType, Name>;

export const USERS_NAMES = namesOf(({ name }) => name);
export const OPERATORS_NAMES = namesOf(({ name, operatorsName = name }) => operatorsName);
