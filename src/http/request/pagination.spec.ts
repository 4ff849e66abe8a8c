import { paginate } from './pagination.js';

const ENDS = { hasNext: true, hasPrevious: false, next: 'after', previous: null };

describe('paginate', () => {
  it.each([
    // limit, total → totalPages
    [20, 0, 0],
    [20, 20, 1],
    [20, 21, 2], // 20 + 1
    [20, 60, 3],
  ])('counts, at %i rows per page, the pages of a list of %i rows: %i', (limit, total, totalPages) => {
    const pagination = paginate({ page: 1, limit, cursor: undefined }, { ...ENDS, total });
    expect(pagination).toEqual({ ...ENDS, page: 1, limit, total, totalPages });
  });

  it('names no page if a cursor addresses the rows', () => {
    const position = { rows: 'after', isInclusive: false, values: ['7'] } as const;
    const cursor = { position, write: () => '' };
    expect(paginate({ page: 1, limit: 20, cursor }, { ...ENDS, total: 60 })).toMatchObject({ page: null });
  });
});
