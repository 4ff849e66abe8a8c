/** The pagination object of every paged list. */
export interface Pagination {
  readonly page: number;
  readonly limit: number;
  readonly total: number;
  readonly totalPages: number;
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
  /** Of totals that come from sums: the time up to which they include every change. */
  readonly asOf?: string;
}

/** The number of rows on all pages. */
export interface RowCount {
  readonly total: number;
  /** Whether there is a row after the page, if more than the number of rows tells it. */
  readonly hasNext?: boolean;
  readonly asOf?: Date;
}

export function paginate(page: number, limit: number, rows: number | RowCount): Pagination {
  const { total, hasNext, asOf }: RowCount = typeof rows === 'number' ? { total: rows } : rows;
  const totalPages = Math.ceil(total / limit);
  return {
    page,
    limit,
    total,
    totalPages,
    hasNext: hasNext ?? page < totalPages,
    hasPrevious: page > 1,
    ...(asOf && { asOf: asOf.toISOString() }),
  };
}

/** The rows of a page, which were read with a limit of one row more, and whether there was such a row. */
export function cutPage<Row>(rows: readonly Row[], limit: number): { rows: Row[]; hasNext: boolean } {
  return { rows: rows.slice(0, limit), hasNext: rows.length > limit };
}

/** Rows to skip before a page. */
export function offsetOf({ page, limit }: { page: number; limit: number }): number {
  return (page - 1) * limit;
}

/** The rows of one page, and the number of rows on all pages. */
export interface Rows<Row> extends RowCount {
  readonly rows: Row[];
}

/** `Rows` whose number comes from the sums of the list. */
export type SummedRows<Row> = Required<Rows<Row>>;
