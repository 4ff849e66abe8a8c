import { FrozenClock, SystemClock } from './clock.js';

it('stands still until it is moved', () => {
  const clock = new FrozenClock(new Date('2026-03-02T23:59:59.000Z'));
  expect(clock.now().toISOString()).toBe('2026-03-02T23:59:59.000Z');
  expect(clock.today()).toBe('2026-03-02');
  clock.advance(1000);
  expect(clock.today()).toBe('2026-03-03');
  clock.moveTo('2027-01-01T00:00:00Z');
  expect(clock.today()).toBe('2027-01-01');
});

it('can not be moved through what it answers', () => {
  const clock = new FrozenClock(new Date('2026-03-02T10:00:00.000Z'));
  clock.now().setFullYear(1999);
  expect(clock.today()).toBe('2026-03-02');
});

it('is real time in production', () => {
  const before = Date.now();
  const now = new SystemClock().now().getTime();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});
