import type { Page, PageEnds, PageRequest } from '../../lists/list-page.js';

/** The pagination object of every paged list. */
export interface Pagination extends PageEnds {
  /** Null for a page that a cursor addresses. */
  readonly page: number | null;
  readonly limit: number;
  readonly total: number;
  readonly totalPages: number;
  /** The time up to which a total from sums includes every change; absent for other totals. */
  readonly asOf?: string;
}

/** The number of rows on all pages. */
interface RowCount {
  readonly total: number;
  readonly asOf?: Date;
}

/** A page without its rows, and the number of rows on all pages. */
export interface CountedPage extends PageEnds, RowCount {}

export function paginate({ page, limit, cursor }: PageRequest, counted: CountedPage): Pagination {
  const { total, hasNext, hasPrevious, next, previous, asOf } = counted;
  return {
    page: cursor?.position ? null : page,
    limit,
    total,
    totalPages: Math.ceil(total / limit),
    hasNext,
    hasPrevious,
    next,
    previous,
    ...(asOf && { asOf: asOf.toISOString() }),
  };
}

/** The rows of one page, and the number of rows on all pages. */
export interface Rows<Row> extends Page<Row>, RowCount {}

/** `Rows` whose number comes from the sums of the list. */
export type SummedRows<Row> = Required<Rows<Row>>;
