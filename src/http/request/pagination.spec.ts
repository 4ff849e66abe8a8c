import { offsetOf, paginate } from './pagination.js';

describe('paginate and offsetOf', () => {
  it.each([
    // page, limit, total → totalPages, hasNext, hasPrevious
    [1, 20, 0, 0, false, false],
    [1, 20, 20, 1, false, false],
    [1, 20, 21, 2, true, false], // 20 + 1
    [2, 20, 21, 2, false, true],
    [2, 20, 60, 3, true, true],
    [9, 20, 60, 3, false, true], // past the end
  ])(
    'describes page %i, at %i rows per page, of a list of %i rows',
    (page, limit, total, totalPages, hasNext, hasPrevious) => {
      expect(paginate(page, limit, total)).toEqual({ page, limit, total, totalPages, hasNext, hasPrevious });
    },
  );

  it.each([
    [1, 20, 0],
    [3, 20, 40], // two pages of 20 before it
  ])('skips the rows before page %i, at %i rows per page: %i', (page, limit, skipped) => {
    expect(offsetOf({ page, limit })).toBe(skipped);
  });
});
