import type { JsonValue } from '../../../common/canonical-json.js';
import { dayOf } from '../../../common/days.js';
import { Money } from '../../../common/money.js';
import type { PastBalance } from '../../portfolio/balance/balance.service.js';
import type { AnnualStatement } from './annual-statements.service.js';
import type { MonthlyIncome } from './domain/annual-figures.js';
import type { Disposal, Holding } from './domain/disposals.js';

/** Version of the members. */
const VERSION = 1;

type Members = Record<string, JsonValue>;

/** The members that are signed. Amounts are in USDC. */
export function annualStatementMembers(statement: AnnualStatement): Members {
  const { account, year, method, range, writtenAt, lateGrowth, income, disposals, holdings } = statement;
  const { managementFees: management, performanceFees: performance } = statement;
  const isComplete = range.to < dayOf(writtenAt);
  return {
    v: VERSION,
    kind: 'annual-statement',
    userId: account.id,
    currency: 'USDC',
    year,
    method,
    from: range.from,
    to: range.to,
    asOf: isComplete ? null : writtenAt.toISOString(),
    opening: balanceMembers(statement.opening),
    closing: balanceMembers(statement.closing),
    lateGrowth: asText(lateGrowth),
    deposits: statement.deposits.toWire(),
    withdrawals: statement.withdrawals.toWire(),
    fees: asText({ management, performance, total: management.plus(performance) }),
    income: { ...asText(sumOfIncome(income)), months: income.map(monthMembers) },
    disposals: { ...disposalSums(disposals), list: disposals.map(disposalMembers) },
    holdings: holdings.map(holdingMembers),
  };
}

/** What the user owned: the sum of all balances. */
export function valueOfBalance({ available, reserved, invested, accruedEarnings }: PastBalance): Money {
  return Money.sum([available, reserved, invested, accruedEarnings]);
}

/** The same amounts as decimal texts. */
function asText<Name extends string>(amounts: Readonly<Record<Name, Money>>): Record<Name, string> {
  const texts = Object.entries<Money>(amounts).map(([name, amount]) => [name, amount.toWire()]);
  return Object.fromEntries(texts) as Record<Name, string>;
}

type IncomeAmounts = Pick<MonthlyIncome, 'growth' | 'forfeited' | 'income'>;

export function sumOfIncome(months: readonly IncomeAmounts[]): IncomeAmounts {
  const sumOf = (name: keyof IncomeAmounts) => Money.sum(months.map((month) => month[name]));
  return { growth: sumOf('growth'), forfeited: sumOf('forfeited'), income: sumOf('income') };
}

const DISPOSAL_AMOUNTS = ['proceeds', 'fees', 'cost', 'gain', 'lotCost', 'lotGain', 'difference'] as const;
type DisposalAmount = (typeof DISPOSAL_AMOUNTS)[number];

/** The sums of all disposals, as text. */
export function disposalSums(disposals: readonly Disposal[]): Record<DisposalAmount, string> {
  const sums = DISPOSAL_AMOUNTS.map((name) => [name, Money.sum(disposals.map((each) => each[name]))]);
  return asText(Object.fromEntries(sums) as Record<DisposalAmount, Money>);
}

function balanceMembers(balance: PastBalance): Members {
  const { available, reserved, invested, accruedEarnings } = balance;
  return asText({ value: valueOfBalance(balance), available, reserved, invested, accruedEarnings });
}

function monthMembers({ month, strategyId, ...amounts }: MonthlyIncome): Members {
  return { month, strategyId, ...asText(amounts) };
}

function disposalMembers(disposal: Disposal): Members {
  const { at, kind, investmentId, strategyId, units } = disposal;
  return {
    at: at.toISOString(),
    kind,
    investmentId,
    strategyId,
    units: units.toExact(),
    ...disposalSums([disposal]),
  };
}

function holdingMembers({ strategyId, units, cost, lotCost }: Holding): Members {
  return { strategyId, units: units.toExact(), ...asText({ cost, lotCost }) };
}
