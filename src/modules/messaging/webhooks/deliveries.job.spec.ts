import { HOUR_MS } from '../../../common/durations.js';
import { retryDelayMs } from './deliveries.job.js';

describe('retryDelayMs', () => {
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
  ])('after %i failures is %i ms, plus up to a tenth', (attempts, delayMs) => {
    expect(retryDelayMs(attempts, 0)).toBe(delayMs);
    expect(retryDelayMs(attempts, 1)).toBe(Math.round(delayMs * 1.1));
  });

  it('is undefined after the tenth failure, which is the last', () =>
    expect(retryDelayMs(10)).toBeUndefined());
});
