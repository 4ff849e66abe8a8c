import { waitAfter } from './delivery-schedule.js';

const HOUR_MS = 3_600_000;

describe('The wait before the next attempt', () => {
  it.each([
    [1, 5000],
    [2, 300_000],
    [3, 0.5 * HOUR_MS],
    [4, 2 * HOUR_MS],
    [5, 5 * HOUR_MS],
    [6, 10 * HOUR_MS],
    [7, 14 * HOUR_MS],
    [8, 20 * HOUR_MS],
    [9, 24 * HOUR_MS],
  ])('after %i failures is %i ms, and up to a tenth more', (attempts, wait) => {
    expect(waitAfter(attempts, 0)).toBe(wait);
    expect(waitAfter(attempts, 1)).toBe(Math.round(wait * 1.1));
  });

  it('is none after the tenth', () => expect(waitAfter(10)).toBeUndefined());
});
