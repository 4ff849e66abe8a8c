// Pages of lists. A page is addressed by its number or by a cursor, which holds the sort values of the row beside which the page
// begins (keyset pagination), so that rows that are added or removed elsewhere do not move it.

/** A sort key of a list: SQL that is never null, and its type in SQL. */
export type SortKey = readonly [
  sql: string,
  type: 'timestamptz' | 'numeric' | 'integer' | 'boolean' | 'text' | 'uuid',
];

/** The order of a list. The last key is unique. All keys have the same direction. */
export interface ListOrder {
  readonly keys: readonly SortKey[];
  readonly direction: 'asc' | 'desc';
}

/** A place in a list, beside a row that had these sort values, as text. */
export interface Position {
  /** The rows that the page shows: those after the place or those before it. */
  readonly rows: 'after' | 'before';
  /** Whether the page also shows a row with these values. */
  readonly isInclusive: boolean;
  readonly values: readonly string[];
}

/** The place that a request asks for, if any, and the way to write another place of the same list for its caller. */
export interface PageCursor {
  readonly position: Position | undefined;
  readonly write: (position: Position) => string;
}

export interface PageRequest {
  /** Without effect if the cursor has a position. */
  readonly page: number;
  readonly limit: number;
  /** Undefined for callers that need no cursors to other pages. */
  readonly cursor: PageCursor | undefined;
}

/** What a page says about the pages beside it. */
export interface PageEnds {
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
  readonly next: string | null;
  readonly previous: string | null;
}

export interface Page<Row> extends PageEnds {
  readonly rows: Row[];
}

/** The sort values of a row, which `ListPage.key` selects. */
interface Keyed {
  readonly page_key: readonly string[];
}

/** The newest first. */
export const byTime = (time: string, id: string): ListOrder => ({
  keys: [
    [time, 'timestamptz'],
    [id, 'uuid'],
  ],
  direction: 'desc',
});

/** SQL: a sort key from a time that may be null. Rows without the time are before all others. The index has this expression. */
export function orBeforeAll(time: string): string {
  return `coalesce(${time}, '-infinity')`;
}

/** SQL: `order by` of the whole list. */
export function orderSql({ keys, direction }: ListOrder): string {
  return `order by ${keys.map(([sql]) => `${sql} ${direction}`).join(', ')}`;
}

/** Rows to skip before a page with a number. */
export function offsetOf({ page, limit, cursor }: PageRequest): number {
  return cursor?.position ? 0 : (page - 1) * limit;
}

/**
 * The parts of a statement that reads one page, and one row more, which tells whether there is a further page. A page before a
 * position is read backwards. Adds the values of the parts to `parameters`.
 */
export class ListPage {
  /** SQL: `limit` and `offset` of the rows to read. */
  readonly limit: string;
  /** SQL: the limit of a scan from which a page is taken, which includes the rows before it that have to be skipped. */
  readonly scanLimit: string;
  private readonly boundary: readonly string[];

  constructor(
    private readonly request: PageRequest,
    private readonly order: ListOrder,
    parameters: unknown[],
  ) {
    const addParameter = (value: unknown): string => `$${parameters.push(value)}`;
    const values = this.position?.values ?? [];
    this.boundary = values.map((value, index) => `${addParameter(value)}::${order.keys[index]?.[1]}`);
    const limit = `limit ${addParameter(request.limit + 1)}::bigint`;
    const offset = offsetOf(request) > 0 ? `${addParameter(offsetOf(request))}::bigint` : undefined;
    this.limit = offset ? `${limit} offset ${offset}` : limit;
    this.scanLimit = offset ? `${limit} + ${offset}` : limit;
  }

  /** The condition of rows on the side of the position that the page shows. */
  get condition(): string {
    return this.conditionOn(this.order.keys.map(([sql]) => sql));
  }

  /** SQL: `order by` in the order of reading. */
  get orderBy(): string {
    return orderSql({ ...this.order, direction: this.direction });
  }

  /** SQL: the column that `cut` reads. */
  get key(): string {
    return `array[${this.order.keys.map(([sql]) => `(${sql})::text`).join(', ')}] as page_key`;
  }

  /** `condition` on other expressions with the values of the sort keys. */
  conditionOn(keys: readonly string[]): string {
    if (!this.position) return 'true';
    const { rows, isInclusive } = this.position;
    const isGreater = (rows === 'after') === (this.order.direction === 'asc');
    const operator = `${isGreater ? '>' : '<'}${isInclusive ? '=' : ''}`;
    return `(${keys.join(', ')}) ${operator} (${this.boundary.join(', ')})`;
  }

  /** The direction of reading. */
  get direction(): 'asc' | 'desc' {
    const { direction } = this.order;
    if (!this.isBackward) return direction;
    return direction === 'asc' ? 'desc' : 'asc';
  }

  /** SQL: the value of the position in the sort key with this index; undefined without a position. */
  boundaryOf(index: number): string | undefined {
    return this.boundary[index];
  }

  /** The page in the rows that were read with `limit`. */
  cut<Stored extends object, Row>(read: readonly Stored[], toRow: (stored: Stored) => Row): Page<Row> {
    const shown = read.slice(0, this.request.limit);
    const hasMore = read.length > shown.length;
    if (this.isBackward) shown.reverse();
    const { position, request } = this;
    const isNumbered = position === undefined;
    const hasNext = this.isBackward || hasMore;
    const hasPrevious = this.isBackward ? hasMore : !isNumbered || request.page > 1;
    const placeBeside = (row: Stored | undefined, rows: Position['rows']): Position | undefined => {
      if (row) return { rows, isInclusive: false, values: (row as unknown as Keyed).page_key };
      // A page without rows: the page beside it begins at the same position.
      return position && { rows, isInclusive: !position.isInclusive, values: position.values };
    };
    return {
      rows: shown.map((row) => toRow(withoutKey(row))),
      hasNext,
      hasPrevious,
      next: hasNext ? this.write(placeBeside(shown.at(-1), 'after')) : null,
      previous: hasPrevious ? this.write(placeBeside(shown[0], 'before')) : null,
    };
  }

  private get position(): Position | undefined {
    return this.request.cursor?.position;
  }

  private get isBackward(): boolean {
    return this.position?.rows === 'before';
  }

  private write(position: Position | undefined): string | null {
    return position ? (this.request.cursor?.write(position) ?? null) : null;
  }
}

function withoutKey<Stored extends object>(row: Stored): Stored {
  const { page_key: _, ...rest } = row as Stored & Keyed;
  return rest as unknown as Stored;
}
