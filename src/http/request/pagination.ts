/** The pagination object of every paged list. */
export interface Pagination {
  readonly page: number;
  readonly limit: number;
  readonly total: number;
  readonly totalPages: number;
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
}

export function paginate(page: number, limit: number, total: number): Pagination {
  const totalPages = Math.ceil(total / limit);
  return { page, limit, total, totalPages, hasNext: page < totalPages, hasPrevious: page > 1 };
}

/** Rows to skip before a page. */
export function offsetOf({ page, limit }: { page: number; limit: number }): number {
  return (page - 1) * limit;
}

/** The rows of one page, and the number of rows on all pages. */
export interface Rows<Row> {
  readonly rows: Row[];
  readonly total: number;
}
