import { addDays, dayOf } from '../../../../common/days.js';
import { DomainError } from '../../../../common/errors/domain-error.js';
import type { FieldProblem } from '../../../../common/errors/error-details.js';
import { Money } from '../../../../common/money.js';
import type { DayRange } from '../../../../http/request/date-range.js';
import { DATE_RULE, isDate } from '../../../../http/request/input.decorators.js';
import { canonicalHash } from '../../../funds/deposits/domain/networks.js';
import { normalizeHash } from '../../../providers/chain/domain/transaction-hash.js';
import {
  MAX_LINES,
  MOVEMENT_DIRECTIONS,
  type MovementDirection,
  type MovementStatus,
  parseStatus,
  PROVIDER_STATUSES,
  type StatementLine,
  type StatementSource,
} from './movement.js';

/** A row of comma-separated values, and the number of the text line at which it begins. */
interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** The text is not strict CSV or has too many rows. `message` continues a sentence about `line`: 'has 3 cells instead of 2'. */
export class CsvError extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message);
  }
}

const BYTE_ORDER_MARK = '\uFEFF';
const CELL = /"([^"]*(?:""[^"]*)*)"|[^",\r\n]*/y;
const CELL_END = /,|\r\n|\n|$/y;

/**
 * Reads strict RFC 4180: quotes enclose a whole cell or are doubled inside it, and all rows have as many cells as the first.
 * Also accepts LF as line end and a leading byte order mark. Throws CsvError.
 */
export function readCsv(text: string, maxRows: number): CsvRow[] {
  const rows: CsvRow[] = [];
  let line = 1;
  let position = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  while (position < text.length) {
    const firstLine = line;
    const cells: string[] = [];
    let separator = ',';
    while (separator === ',') {
      const [cell, quoted] = matchAt(CELL, text, position) as RegExpExecArray; // CELL also matches an empty cell
      line += cell.split('\n').length - 1;
      const end = matchAt(CELL_END, text, position + cell.length);
      if (!end) throw new CsvError(line, 'has a quote or a line end at a place where none is allowed');
      cells.push(quoted === undefined ? cell : quoted.replaceAll('""', '"'));
      separator = end[0];
      position += cell.length + separator.length;
    }
    const width = rows[0]?.cells.length ?? cells.length;
    if (cells.length !== width)
      throw new CsvError(firstLine, `has ${cells.length} cells instead of ${width}`);
    if (rows.length === maxRows) throw new CsvError(firstLine, `exceeds the limit of ${maxRows} lines`);
    rows.push({ line: firstLine, cells });
    line += 1;
  }
  return rows;
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(text);
}

// Parses a statement. One malformed line rejects the whole statement; the error has the line and the field of the first
// MAX_PROBLEMS problems.

interface Rule {
  readonly optional?: true;
  readonly holds: (text: string) => boolean;
  readonly message: string;
}

const TEXT = /^[^\p{Cc}]{1,200}$/u;
const TEXT_RULE = 'must be text of 1 to 200 characters without control characters';
/** The status of lines without one: such statements are assumed to contain settled movements only. */
const DEFAULT_STATUS: MovementStatus = 'settled';
const AMOUNT = /^(?=.*[1-9])(0|[1-9]\d{0,17})(\.\d{1,18})?$/;

export const STATEMENT_FIELDS = {
  reference: { holds: (text) => TEXT.test(text), message: TEXT_RULE },
  txHash: {
    optional: true,
    holds: (text) => TEXT.test(text) && text.trim() !== '',
    message: TEXT_RULE,
  },
  amount: {
    holds: (text) => AMOUNT.test(text),
    message:
      'must be a decimal string above zero such as "10.00", with at most 18 digits before the point and 18 after it',
  },
  currency: {
    holds: (text) => /^[A-Z0-9]{2,10}$/.test(text),
    message: 'must be a currency of 2 to 10 capital letters or digits, such as USDC',
  },
  network: {
    optional: true,
    holds: (text) => /^[A-Z0-9]{2,20}$/i.test(text),
    message: 'must be a network of 2 to 20 letters or digits, such as ERC20',
  },
  direction: {
    holds: (text) => (MOVEMENT_DIRECTIONS as readonly string[]).includes(text),
    message: `must be one of ${MOVEMENT_DIRECTIONS.join(', ')}`,
  },
  date: { holds: isDate, message: `must be ${DATE_RULE}` },
  status: {
    optional: true,
    holds: (text) => parseStatus(text) !== undefined,
    message: `must be one of ${PROVIDER_STATUSES.join(', ')}; ${DEFAULT_STATUS} unless given`,
  },
} as const satisfies Record<string, Rule>;

type Field = keyof typeof STATEMENT_FIELDS;
type Fields = Partial<Record<Field, string | null>>;
/** The fields of a line that satisfies the rules. */
type ValidFields = Fields & Record<'reference' | 'amount' | 'currency' | 'direction' | 'date', string>;

const RULES: [Field, Rule][] = Object.entries(STATEMENT_FIELDS) as [Field, Rule][];
const MAX_PROBLEMS = 20;

interface LineProblem extends FieldProblem {
  readonly line: number;
}

/** Reads a list of objects, one for each line, with the fields `STATEMENT_FIELDS`. Throws VALIDATION_ERROR. */
export function readStatementObjects(
  items: readonly unknown[],
  source: StatementSource,
  range: DayRange,
): StatementLine[] {
  const reader = new LineReader(source, range);
  items.forEach((item, index) => {
    const line = index + 1;
    if (typeof item !== 'object' || item === null || Array.isArray(item))
      reader.addProblem({ line, field: 'lines', message: 'must be an object' });
    else reader.addLine(line, item as Record<string, unknown>);
  });
  return reader.finish();
}

/** Reads CSV whose header has the names of `STATEMENT_FIELDS`; an empty cell is an absent field. Throws VALIDATION_ERROR. */
export function readStatementCsv(text: string, source: StatementSource, range: DayRange): StatementLine[] {
  const reader = new LineReader(source, range);
  const [header, ...rows] = rowsOf(text);
  const names = header?.cells ?? [];
  const unknown = names.find((name) => !Object.hasOwn(STATEMENT_FIELDS, name));
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  const missing = RULES.find(([name, { optional }]) => !optional && !names.includes(name));
  if (unknown !== undefined) fail({ line: 1, field: unknown, message: 'is not a known column' });
  if (repeated !== undefined) fail({ line: 1, field: repeated, message: 'occurs twice in the header' });
  if (missing) fail({ line: 1, field: missing[0], message: 'is missing in the header' });
  for (const { line, cells } of rows)
    reader.addLine(line, Object.fromEntries(names.map((name, index) => [name, cells[index] || undefined])));
  return reader.finish();
}

function rowsOf(text: string) {
  try {
    return readCsv(text, MAX_LINES + 1); // the header and the lines
  } catch (error) {
    if (error instanceof CsvError) fail({ line: error.line, field: 'csv', message: error.message });
    throw error;
  }
}

/** Collects the lines of a statement and the problems of malformed ones. */
class LineReader {
  private readonly lines: StatementLine[] = [];
  private readonly problems: LineProblem[] = [];
  /** Near midnight a line can have the day before or after that of the platform's record. */
  private readonly earliestDay: string;
  private readonly latestDay: string;

  constructor(
    private readonly source: StatementSource,
    { from, to }: DayRange,
  ) {
    this.earliestDay = addDays(from, -1);
    this.latestDay = addDays(to, 1);
  }

  /** Throws VALIDATION_ERROR after MAX_PROBLEMS problems. */
  addProblem(problem: LineProblem): void {
    this.problems.push(problem);
    if (this.problems.length === MAX_PROBLEMS) this.failWithProblems();
  }

  addLine(line: number, fields: Record<string, unknown>): void {
    const earlierProblems = this.problems.length;
    for (const name of Object.keys(fields))
      if (!Object.hasOwn(STATEMENT_FIELDS, name))
        this.addProblem({ line, field: name, message: 'is not a known field' });
    for (const [field, { optional, holds, message }] of RULES) {
      const text = fields[field];
      if (text === undefined || text === null) {
        if (!optional) this.addProblem({ line, field, message: 'is missing' });
      } else if (typeof text !== 'string' || !holds(text)) {
        this.addProblem({ line, field, message });
      }
    }
    if (this.problems.length > earlierProblems) return;
    const parsed = this.parseLine(line, fields as ValidFields);
    const day = dayOf(parsed.at);
    if (day >= this.earliestDay && day <= this.latestDay) this.lines.push(parsed);
    else
      this.addProblem({
        line,
        field: 'date',
        message: 'must be at most one day before `from` or after `to`',
      });
  }

  /** Throws VALIDATION_ERROR if any line has a problem. */
  finish(): StatementLine[] {
    if (this.problems.length > 0) this.failWithProblems();
    return this.lines;
  }

  private failWithProblems(): never {
    throw new DomainError('VALIDATION_ERROR', this.problems);
  }

  private parseLine(line: number, fields: ValidFields): StatementLine {
    return {
      line,
      reference: fields.reference,
      txHash: fields.txHash ? this.storedForm(fields.txHash.trim(), fields.network) : null,
      network: fields.network?.toUpperCase() ?? null,
      currency: fields.currency,
      direction: fields.direction as MovementDirection,
      amount: Money.of(fields.amount),
      at: new Date(fields.date),
      status: parseStatus(fields.status ?? DEFAULT_STATUS) as MovementStatus,
      address: null, // none of STATEMENT_FIELDS names it
    };
  }

  /** The hash in the form in which the platform stores it: for custody as admins enter hashes, for deposits in that of the network. */
  private storedForm(hash: string, network: string | null | undefined): string {
    return this.source === 'custody'
      ? normalizeHash(hash)
      : canonicalHash(network?.toUpperCase() ?? '', hash);
  }
}

function fail(problem: LineProblem): never {
  throw new DomainError('VALIDATION_ERROR', [problem]);
}
