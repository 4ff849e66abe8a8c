import type { JsonValue } from '../../../common/canonical-json.js';
import { dayOf } from '../../../common/days.js';
import { type Phrase, phraseText, timeText } from '../../../common/message-texts.js';
import { MICRO_SCALE, Money } from '../../../common/money.js';
import type {
  DocumentColumn,
  DocumentRow,
  DocumentSection,
  PrintedDocument,
} from '../../../http/documents/document.js';
import type { PastBalance } from '../../portfolio/balance/balance.service.js';
import { accountText } from '../../portfolio/statements/statements.mapper.js';
import type { AnnualStatement } from './annual-statements.service.js';
import type { Disposal, Holding, MonthlyIncome } from './domain/annual-figures.js';
import { ANNUAL_TEXTS as TEXTS } from './domain/annual-texts.js';

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
function valueOfBalance({ available, reserved, invested, accruedEarnings }: PastBalance): Money {
  return Money.sum([available, reserved, invested, accruedEarnings]);
}

/** The same amounts as decimal texts. */
function asText<Name extends string>(amounts: Readonly<Record<Name, Money>>): Record<Name, string> {
  const texts = Object.entries<Money>(amounts).map(([name, amount]) => [name, amount.toWire()]);
  return Object.fromEntries(texts) as Record<Name, string>;
}

type IncomeAmounts = Pick<MonthlyIncome, 'growth' | 'forfeited' | 'income'>;

function sumOfIncome(months: readonly IncomeAmounts[]): IncomeAmounts {
  const sumOf = (name: keyof IncomeAmounts) => Money.sum(months.map((month) => month[name]));
  return { growth: sumOf('growth'), forfeited: sumOf('forfeited'), income: sumOf('income') };
}

const DISPOSAL_AMOUNTS = ['proceeds', 'fees', 'cost', 'gain', 'lotCost', 'lotGain', 'difference'] as const;
type DisposalAmount = (typeof DISPOSAL_AMOUNTS)[number];

/** The sums of all disposals, as text. */
function disposalSums(disposals: readonly Disposal[]): Record<DisposalAmount, string> {
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

// Writes an annual statement as a document to read or print.

type Write = (phrase: Phrase, values?: Record<string, string>) => string;

export function toAnnualDocument(statement: AnnualStatement): PrintedDocument {
  const { language, range, account, year, method } = statement;
  const write: Write = (phrase, values) => phraseText(phrase, language, values);
  return {
    language,
    title: write(TEXTS.title, { year: String(year) }),
    letterhead: statement.letterhead,
    writtenAt: statement.writtenAt,
    facts: [
      [write(TEXTS.account), accountText(account)],
      [write(TEXTS.period), write(TEXTS.periodText, { from: range.from, to: range.to })],
      [write(TEXTS.currency), 'USDC'],
      [write(TEXTS.method), write(TEXTS[method])],
    ],
    sections: [
      valuesSection(statement, write),
      changesSection(statement, write),
      incomeSection(statement, write),
      disposalsSection(statement, write),
      holdingsSection(statement, write),
    ],
  };
}

function amountColumns(write: Write, width: number, ...titles: Phrase[]): DocumentColumn[] {
  return titles.map((title) => ({ title: write(title), width, isAmount: true }));
}

function valuesSection(
  { range, writtenAt, opening, closing }: AnnualStatement,
  write: Write,
): DocumentSection {
  const end = range.to >= dayOf(writtenAt) ? write(TEXTS.now) : write(TEXTS.end, { day: range.to });
  const row = (time: string, balance: PastBalance): DocumentRow => {
    const { available, reserved, invested, accruedEarnings } = balance;
    const values = [valueOfBalance(balance), available, reserved, invested, accruedEarnings];
    return { cells: [time, ...values.map((amount) => amount.toWire())] };
  };
  return {
    heading: write(TEXTS.values),
    table: {
      columns: [
        { title: write(TEXTS.time), width: 110 },
        ...amountColumns(
          write,
          80,
          TEXTS.value,
          TEXTS.available,
          TEXTS.reserved,
          TEXTS.invested,
          TEXTS.accrued,
        ),
      ],
      rows: [row(write(TEXTS.start, { day: range.from }), opening), row(end, closing)],
    },
  };
}

/** The amounts add up to the value at the end. A value lacks the growth of its last day (`lateGrowth`), which two rows make up for. */
function changesSection(statement: AnnualStatement, write: Write): DocumentSection {
  const { growth, forfeited } = sumOfIncome(statement.income);
  const row = (phrase: Phrase, amount: Money, isTotal = false): DocumentRow => ({
    cells: [write(phrase), amount.toWire()],
    isTotal,
  });
  return {
    heading: write(TEXTS.changes),
    table: {
      columns: [{ title: write(TEXTS.item), width: 400 }, ...amountColumns(write, 100, TEXTS.amount)],
      rows: [
        row(TEXTS.opening, valueOfBalance(statement.opening), true),
        row(TEXTS.lateOpening, statement.lateGrowth.opening),
        row(TEXTS.deposits, statement.deposits),
        row(TEXTS.withdrawals, statement.withdrawals.negated()),
        row(TEXTS.growth, growth),
        row(TEXTS.forfeited, forfeited.negated()),
        row(TEXTS.managementFees, statement.managementFees.negated()),
        row(TEXTS.performanceFees, statement.performanceFees.negated()),
        row(TEXTS.lateClosing, statement.lateGrowth.closing.negated()),
        row(TEXTS.closing, valueOfBalance(statement.closing), true),
      ],
    },
  };
}

function incomeSection({ income, nameOf }: AnnualStatement, write: Write): DocumentSection {
  const total = { month: write(TEXTS.total), strategyId: null, ...sumOfIncome(income) };
  return {
    heading: write(TEXTS.income),
    text: write(TEXTS.incomeText),
    table: {
      columns: [
        { title: write(TEXTS.month), width: 60 },
        { title: write(TEXTS.strategy), width: 160 },
        ...amountColumns(write, 90, TEXTS.growth, TEXTS.takenBack, TEXTS.incomeColumn),
      ],
      rows: [...income, total].map(({ month, strategyId, growth, forfeited, income: netIncome }) => ({
        cells: [
          month,
          strategyId === null ? '' : nameOf(strategyId),
          ...[growth, forfeited.negated(), netIncome].map((amount) => amount.toWire()),
        ],
        isTotal: strategyId === null,
      })),
    },
  };
}

function disposalsSection({ disposals, nameOf }: AnnualStatement, write: Write): DocumentSection {
  // `lotGain`: the gain in the ledger, which closes each investment with its own principal; `difference`: `gain` less `lotGain`.
  const amountCells = (some: readonly Disposal[]) => {
    const { proceeds, cost, gain, lotGain, difference } = disposalSums(some);
    return [proceeds, cost, gain, lotGain, difference];
  };
  const rows = disposals.map((disposal): DocumentRow => {
    const { at, kind, strategyId, investmentId, units } = disposal;
    const strategy = nameOf(strategyId);
    return {
      cells: [timeText(at), write(TEXTS[`${kind}-kind`], { strategy }), ...amountCells([disposal])],
      notes: [
        write(TEXTS.investment, { id: investmentId }),
        write(TEXTS.unitsOf, { units: units.toExact() }),
      ],
    };
  });
  const empty = { cells: ['', write(TEXTS.noDisposals), '', '', '', '', ''] };
  const total = { cells: ['', write(TEXTS.total), ...amountCells(disposals)], isTotal: true };
  return {
    heading: write(TEXTS.disposals),
    text: write(TEXTS.disposalsText),
    table: {
      columns: [
        { title: write(TEXTS.time), width: 82 },
        { title: write(TEXTS.disposal), width: 134 },
        ...amountColumns(write, 60, TEXTS.proceeds, TEXTS.cost, TEXTS.gain, TEXTS.lotGain, TEXTS.difference),
      ],
      rows: rows.length === 0 ? [empty] : [...rows, total],
    },
  };
}

function holdingsSection({ holdings, nameOf }: AnnualStatement, write: Write): DocumentSection {
  return {
    heading: write(TEXTS.holdings),
    table: {
      columns: [
        { title: write(TEXTS.strategy), width: 160 },
        ...amountColumns(write, 100, TEXTS.units, TEXTS.cost, TEXTS.lotCost),
      ],
      rows: holdings.map(({ strategyId, units, cost, lotCost }) => ({
        cells: [nameOf(strategyId), units.toFixed(MICRO_SCALE), cost.toWire(), lotCost.toWire()],
      })),
    },
  };
}
