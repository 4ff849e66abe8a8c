import { Money } from '../../../../common/money.js';
import { ACCOUNT_KINDS, type AccountKind, USDC } from '../../../core/ledger/domain/chart-of-accounts.js';

// The platform's books have one account for each account of the platform in the ledger, and one for all users' accounts of one kind
// and asset together.

export const ACCOUNT_CLASSES = ['asset', 'liability', 'equity', 'income', 'expense'] as const;
export type AccountClass = (typeof ACCOUNT_CLASSES)[number];

/** What belongs to users is owed to them. Units issued are the counterpart of the units that users hold. */
const OTHER_CLASSES: Readonly<Record<string, AccountClass>> = { user: 'liability', units: 'equity' };

/** The identity of an account of the books. */
export interface AccountKey {
  readonly kind: AccountKind;
  /** A network or the id of a strategy; empty for accounts without one. */
  readonly scope: string;
  readonly asset: string;
}

/** An account of the books, and its balances before and after a range of days. As in the ledger, a credit is positive. */
export interface BookBalance extends AccountKey {
  readonly opening: Money;
  readonly closing: Money;
}

/** `<kind>:<scope>:<asset>`, without the scope if there is none. */
export function idOf({ kind, scope, asset }: AccountKey): string {
  return [kind, scope, asset].filter((part) => part !== '').join(':');
}

export function classOf({ kind }: AccountKey): AccountClass {
  const ledgerClass = ACCOUNT_KINDS[kind];
  return OTHER_CLASSES[ledgerClass] ?? (ledgerClass as AccountClass);
}

export function ownerOf({ kind }: AccountKey): 'platform' | 'users' {
  return ACCOUNT_KINDS[kind] === 'user' ? 'users' : 'platform';
}

const CHART = Object.keys(ACCOUNT_KINDS);

/** For sorting: the order of the chart of accounts. */
export function inChartOrder(a: AccountKey, b: AccountKey): number {
  if (a.kind !== b.kind) return CHART.indexOf(a.kind) - CHART.indexOf(b.kind);
  return idOf(a) < idOf(b) ? -1 : 1;
}

/** The sums of amounts by asset, in the order of the first of each. */
export function sumByAsset(amounts: Iterable<readonly [asset: string, amount: Money]>): Map<string, Money> {
  const sums = new Map<string, Money>();
  for (const [asset, amount] of amounts) sums.set(asset, (sums.get(asset) ?? Money.ZERO).plus(amount));
  return sums;
}

type Kind = BookBalance['kind'];
type ChangeOf = (kind: Kind) => Money;

/** A figure of the statement: its description in responses, and its amount from the changes of accounts, credits being positive. */
interface Figure {
  readonly description: string;
  readonly amountOf: (changeOf: ChangeOf) => Money;
}

export const INCOME = {
  managementFees: {
    description: 'charged when investments were closed',
    amountOf: (changeOf) => changeOf('income.management-fee'),
  },
  performanceFees: {
    description: 'charged when investments were closed',
    amountOf: (changeOf) => changeOf('income.performance-fee'),
  },
  strategyYield: {
    description: 'yield that the custody provider has paid',
    amountOf: (changeOf) => changeOf('income.strategy-yield'),
  },
} as const satisfies Record<string, Figure>;

/** Every day's growth is an expense when it accrues, whether or not it is realised later. */
export const EXPENSE = {
  // Growth is posted from `expense.yield` to `strategy.accrued`; closings pay it from there. So growth that is no longer in
  // `strategy.accrued` has been paid.
  yieldRealised: {
    description: 'growth that closings have paid to users’ balances, less what they have given back',
    amountOf: (changeOf) => changeOf('expense.yield').plus(changeOf('strategy.accrued')).negated(),
  },
  yieldAccrued: {
    description:
      'by how much the growth that holders of units are owed, and that is not yet paid, has risen; negative if it has fallen, for instance because it was realised',
    amountOf: (changeOf) => changeOf('strategy.accrued'),
  },
} as const satisfies Record<string, Figure>;

type Amounts<Figures> = { readonly [Name in keyof Figures]: Money };

/** Income and expenses of a range of days in USDC, as positive amounts; a negative one is a loss of the strategies. */
export interface ProfitAndLoss {
  readonly income: Amounts<typeof INCOME>;
  readonly expense: Amounts<typeof EXPENSE>;
  /** Income less expenses. */
  readonly result: Money;
  /** Changes of the accounts for amounts below the sixth decimal, by asset; a credit is positive. */
  readonly rounding: ReadonlyMap<string, Money>;
  /** Changes of the accounts through which deposits are converted, by asset; a credit is positive. */
  readonly conversion: ReadonlyMap<string, Money>;
}

/** Follows from the balances alone. */
export function profitAndLossOf(balances: readonly BookBalance[]): ProfitAndLoss {
  const changeOf: ChangeOf = (kind) => changesByAsset(balances, kind).get(USDC) ?? Money.ZERO;
  return {
    income: amountsOf(INCOME, changeOf),
    expense: amountsOf(EXPENSE, changeOf),
    result: Money.sum(RESULT_KINDS.map(changeOf)),
    rounding: changesByAsset(balances, 'rounding'),
    conversion: changesByAsset(balances, 'conversion'),
  };
}

/** The kinds of accounts whose changes are the result. */
export const RESULT_KINDS = (Object.keys(ACCOUNT_KINDS) as Kind[]).filter((kind) =>
  ['income', 'expense'].includes(ACCOUNT_KINDS[kind]),
);

function amountsOf<Figures extends Record<string, Figure>>(
  figures: Figures,
  changeOf: ChangeOf,
): Amounts<Figures> {
  const amounts = Object.entries(figures).map(([name, { amountOf }]) => [name, amountOf(changeOf)]);
  return Object.fromEntries(amounts) as Amounts<Figures>;
}

/** The changes of the accounts of a kind, by asset; those of several networks or strategies together. */
function changesByAsset(balances: readonly BookBalance[], kind: Kind): Map<string, Money> {
  return sumByAsset(
    balances
      .filter((balance) => balance.kind === kind)
      .map(({ asset, opening, closing }) => [asset, closing.minus(opening)] as const),
  );
}
