import type { JsonValue } from '../../../common/canonical-json.js';
import { dayOf } from '../../../common/days.js';
import { Money } from '../../../common/money.js';
import type { PastBalance } from '../../portfolio/balance/balance-history.service.js';
import type { AnnualStatement } from './annual-statements.service.js';
import type { MonthlyIncome } from './domain/annual-figures.js';
import type { Disposal, Holding } from './domain/disposals.js';

/** Version of the members. */
const VERSION = 1;

type Members = Record<string, JsonValue>;

/** The members that are signed. Amounts are in USDC. */
export function annualStatementMembers(statement: AnnualStatement): Members {
  const { account, year, method, range, writtenAt, lateGrowth, income, disposals, holdings } = statement;
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
    lateGrowth: { opening: lateGrowth.opening.toWire(), closing: lateGrowth.closing.toWire() },
    deposits: statement.deposits.toWire(),
    withdrawals: statement.withdrawals.toWire(),
    fees: {
      management: statement.managementFees.toWire(),
      performance: statement.performanceFees.toWire(),
      total: totalFeesOf(statement).toWire(),
    },
    income: { ...incomeMembers(sumOfIncome(income)), months: income.map(monthMembers) },
    disposals: { ...disposalSums(disposals), list: disposals.map(disposalMembers) },
    holdings: holdings.map(holdingMembers),
  };
}

/** What the user owned: the sum of all balances. */
export function valueOfBalance({ available, reserved, invested, accruedEarnings }: PastBalance): Money {
  return Money.sum([available, reserved, invested, accruedEarnings]);
}

function totalFeesOf({ managementFees, performanceFees }: AnnualStatement): Money {
  return managementFees.plus(performanceFees);
}

type IncomeAmounts = Pick<MonthlyIncome, 'growth' | 'forfeited' | 'income'>;

export function sumOfIncome(months: readonly IncomeAmounts[]): IncomeAmounts {
  const sumOf = (name: keyof IncomeAmounts) => Money.sum(months.map((month) => month[name]));
  return { growth: sumOf('growth'), forfeited: sumOf('forfeited'), income: sumOf('income') };
}

const DISPOSAL_AMOUNTS = ['proceeds', 'fees', 'cost', 'gain', 'lotCost', 'lotGain', 'difference'] as const;
type DisposalAmounts = Record<(typeof DISPOSAL_AMOUNTS)[number], string>;

/** The sums of all disposals, as text. */
export function disposalSums(disposals: readonly Disposal[]): DisposalAmounts {
  const sums = DISPOSAL_AMOUNTS.map((name) => [
    name,
    Money.sum(disposals.map((each) => each[name])).toWire(),
  ]);
  return Object.fromEntries(sums) as DisposalAmounts;
}

function balanceMembers(balance: PastBalance): Members {
  const { available, reserved, invested, accruedEarnings } = balance;
  return {
    value: valueOfBalance(balance).toWire(),
    available: available.toWire(),
    reserved: reserved.toWire(),
    invested: invested.toWire(),
    accruedEarnings: accruedEarnings.toWire(),
  };
}

function incomeMembers({ growth, forfeited, income }: IncomeAmounts): Members {
  return { growth: growth.toWire(), forfeited: forfeited.toWire(), income: income.toWire() };
}

function monthMembers({ month, strategyId, ...amounts }: MonthlyIncome): Members {
  return { month, strategyId, ...incomeMembers(amounts) };
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
  return { strategyId, units: units.toExact(), cost: cost.toWire(), lotCost: lotCost.toWire() };
}
