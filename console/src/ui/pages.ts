interface Pagination {
  page: number | null;
  totalPages: number;
  total: number;
}

/** The number of a page in the address; 1 for anything else. */
export const pageOf = (text: string): number => Math.max(1, Number.parseInt(text, 10) || 1);

/** The property `pagination` of a table whose page is in the address; none until the list is read. */
export const paginationOf = (
  pagination: Pagination | undefined,
  setUrl: (changes: { page: string }) => void,
) =>
  pagination
    ? {
        pagination: {
          page: pagination.page ?? 1,
          pages: pagination.totalPages,
          total: pagination.total,
          onPage: (page: number) => setUrl({ page: String(page) }),
        },
      }
    : { pagination: undefined };
