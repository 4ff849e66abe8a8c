import { type Measurements, serviceLevelsOf, statusOf } from './service-levels.js';

const levelsOf = (figures: Partial<Measurements>) =>
  serviceLevelsOf({
    range: null,
    minutes: 1000,
    minutesUp: 1000,
    requests: 0,
    failures: 0,
    histogram: [],
    ...figures,
  });

describe('serviceLevelsOf', () => {
  it.each([
    [41_000, 40_959, true], // exactly 99.9 %; in floating point, 99.9 × 41,000 is more than 40,959 × 100
    [41_000, 40_958, false],
    [1000, 999, true], // exactly 99.9 %
  ])(
    'compares the availability with exactly 99.9 %%: if of %p minutes %p were up, the target is met: %p',
    (minutes, minutesUp, meets) => {
      expect(levelsOf({ minutes, minutesUp }).meets.availability).toBe(meets);
    },
  );

  it.each([
    [10_000_000, 10_000, true],
    [10_000_000, 10_001, false],
  ])(
    'compares the error rate with exactly 0.1 %%: if of %p requests %p failed, the target is met: %p',
    (requests, failures, meets) => {
      expect(levelsOf({ requests, failures }).meets.errorRate).toBe(meets);
    },
  );
});

describe('statusOf', () => {
  it.each([
    ['warning', 99_999], // rounded up, the error rate is 1.0000 %
    ['critical', 100_000], // 1 %, ten times the target
  ])('is %s if %p of ten million requests failed', (status, failures) => {
    const levels = levelsOf({ requests: 10_000_000, failures });
    expect([statusOf(levels), levels.errorRate]).toEqual([status, 1]);
  });
});
