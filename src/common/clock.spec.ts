import { FrozenClock, SystemClock } from './clock.js';

it('keeps a frozen clock at its instant until the clock is moved', () => {
  const clock = new FrozenClock(new Date('2026-03-02T23:59:59.000Z'));
  expect(clock.now().toISOString()).toBe('2026-03-02T23:59:59.000Z');
  expect(clock.today()).toBe('2026-03-02');
  clock.advance(1000);
  expect(clock.today()).toBe('2026-03-03');
  clock.moveTo('2027-01-01T00:00:00Z');
  expect(clock.today()).toBe('2027-01-01');
});

it('keeps a frozen clock unchanged when a caller changes a date that the clock has returned', () => {
  const clock = new FrozenClock(new Date('2026-03-02T10:00:00.000Z'));
  clock.now().setFullYear(1999);
  expect(clock.today()).toBe('2026-03-02');
});

it('returns real time from the system clock', () => {
  const before = Date.now();
  const now = new SystemClock().now().getTime();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});
