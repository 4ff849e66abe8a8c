import type { DayRange } from '../../http/request/date-range.js';
import { DATE_RULE, isDate } from '../../http/request/input.decorators.js';
import { addDays, dayOf } from '../../common/days.js';
import { DomainError, type FieldProblem } from '../../common/errors/domain-error.js';
import { Money } from '../../common/money.js';
import { canonicalHash } from '../deposits/domain/networks.js';
import { normalizeHash } from '../blockchain/domain/transaction-hash.js';
import { CsvError, readCsv } from './csv.js';
import {
  DIRECTIONS,
  MOST_LINES,
  progressOf,
  STATUS_WORDS,
  type Direction,
  type Source,
  type StatementLine,
} from './statement-line.js';

// What a caller gives as a statement becomes lines, or is refused as a whole with the line and field of each problem.

interface Rule {
  readonly optional?: true;
  readonly holds: (text: string) => boolean;
  readonly message: string;
}

const TEXT = /^[^\p{Cc}]{1,200}$/u;
const AMOUNT = /^(?=.*[1-9])(0|[1-9]\d{0,17})(\.\d{1,18})?$/;

export const FIELDS = {
  reference: { holds: (text) => TEXT.test(text), message: 'must be text of 1 to 200 characters' },
  txHash: {
    optional: true,
    holds: (text) => TEXT.test(text) && text.trim() !== '',
    message: 'must be text of 1 to 200 characters',
  },
  amount: {
    holds: (text) => AMOUNT.test(text),
    message: 'must be a decimal string above zero such as "10.00", with at most 18 decimals',
  },
  currency: { holds: (text) => /^[A-Z0-9]{2,10}$/.test(text), message: 'must be a currency such as USDC' },
  network: {
    optional: true,
    holds: (text) => /^[A-Z0-9]{2,20}$/i.test(text),
    message: 'must be a network such as ERC20',
  },
  direction: {
    holds: (text) => (DIRECTIONS as readonly string[]).includes(text),
    message: 'must be in or out',
  },
  date: { holds: isDate, message: `must be ${DATE_RULE}` },
  status: {
    optional: true,
    holds: (text) => progressOf(text) !== undefined,
    message: `must be one of ${STATUS_WORDS.join(', ')}`,
  },
} as const satisfies Record<string, Rule>;

type Field = keyof typeof FIELDS;
type Given = Partial<Record<Field, string>>;

const RULES: [Field, Rule][] = Object.entries(FIELDS) as [Field, Rule][];
const MOST_PROBLEMS = 20;

interface LineProblem extends FieldProblem {
  readonly line: number;
}

/** Lines of JSON. Throws VALIDATION_ERROR. */
export function readLines(given: readonly unknown[], source: Source, range: DayRange): StatementLine[] {
  const reader = new Reader(source, range);
  given.forEach((value, index) => {
    const line = index + 1;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      reader.refuse({ line, field: 'lines', message: 'must be an object' });
    else reader.read(line, value as Record<string, unknown>);
  });
  return reader.all();
}

/** A text with a header of the same names. Throws VALIDATION_ERROR. */
export function readCsvLines(text: string, source: Source, range: DayRange): StatementLine[] {
  const reader = new Reader(source, range);
  const [header, ...rows] = rowsOf(text);
  const names = header?.cells ?? [];
  const unknown = names.find((name, place) => !Object.hasOwn(FIELDS, name) || names.indexOf(name) < place);
  const missing = RULES.find(([name, { optional }]) => !optional && !names.includes(name));
  if (unknown !== undefined)
    fail({ line: 1, field: unknown, message: 'is not a known column, or stands twice' });
  if (missing) fail({ line: 1, field: missing[0], message: 'is missing in the header' });
  for (const { line, cells } of rows)
    reader.read(line, Object.fromEntries(names.map((name, place) => [name, cells[place] || undefined])));
  return reader.all();
}

function rowsOf(text: string) {
  try {
    return readCsv(text, MOST_LINES + 1);
  } catch (error) {
    if (error instanceof CsvError) fail({ line: error.line, field: 'csv', message: error.message });
    throw error;
  }
}

class Reader {
  private readonly lines: StatementLine[] = [];
  private readonly problems: LineProblem[] = [];
  private readonly firstDay: string;
  private readonly lastDay: string;

  constructor(
    private readonly source: Source,
    { from, to }: DayRange,
  ) {
    this.firstDay = addDays(from, -1);
    this.lastDay = addDays(to, 1);
  }

  refuse(problem: LineProblem): void {
    this.problems.push(problem);
    if (this.problems.length === MOST_PROBLEMS) this.all();
  }

  read(line: number, value: Record<string, unknown>): void {
    const before = this.problems.length;
    for (const name of Object.keys(value))
      if (!Object.hasOwn(FIELDS, name)) this.refuse({ line, field: name, message: 'is not a known field' });
    for (const [field, { optional, holds, message }] of RULES) {
      const text = value[field];
      const absent = text === undefined || text === null;
      if (absent ? optional : typeof text === 'string' && holds(text)) continue;
      this.refuse({ line, field, message: absent ? 'is missing' : message });
    }
    if (this.problems.length > before) return;
    const read = this.lineOf(line, value as Given & Required<Pick<Given, 'reference' | 'amount' | 'date'>>);
    const day = dayOf(read.at);
    if (day < this.firstDay || day > this.lastDay)
      this.refuse({ line, field: 'date', message: 'is more than a day outside of from and to' });
    this.lines.push(read);
  }

  /** Every line, or what is wrong with them. */
  all(): StatementLine[] {
    if (this.problems.length > 0) throw new DomainError('VALIDATION_ERROR', this.problems);
    return this.lines;
  }

  private lineOf(
    line: number,
    given: Given & Required<Pick<Given, 'reference' | 'amount' | 'date'>>,
  ): StatementLine {
    const hash = given.txHash?.trim();
    return {
      line,
      reference: given.reference,
      txHash: hash === undefined ? null : hashOf(this.source, hash),
      network: given.network?.toUpperCase() ?? null,
      currency: given.currency as string,
      direction: given.direction as Direction,
      amount: Money.of(given.amount),
      at: new Date(given.date),
      status: (given.status === undefined ? undefined : progressOf(given.status)) ?? 'settled',
      address: null,
    };
  }
}

/** A hash as our records of that kind spell it. */
function hashOf(source: Source, hash: string): string {
  return source === 'custody' ? normalizeHash(hash) : canonicalHash(hash);
}

function fail(problem: LineProblem): never {
  throw new DomainError('VALIDATION_ERROR', [problem]);
}
