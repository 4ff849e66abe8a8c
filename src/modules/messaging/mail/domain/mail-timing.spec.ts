import { HOUR_MS } from '../../../../common/durations.js';
import { mailAfterFailure } from './mail-timing.js';

const createdAt = new Date('2026-03-02T10:00:00.000Z');
const after = (ms: number) => new Date(createdAt.getTime() + ms);

describe('mailAfterFailure', () => {
  it.each([
    [1, 5000],
    [2, 30_000],
    [3, 120_000],
    [4, 600_000],
    [5, 0.5 * HOUR_MS],
    [6, HOUR_MS],
    [7, 2 * HOUR_MS],
    [8, 4 * HOUR_MS],
    [20, 4 * HOUR_MS],
  ])('makes the mail due again after failed attempt %i in %i ms, plus up to a tenth', (attempts, delayMs) => {
    const mail = { createdAt, attempts };
    expect(mailAfterFailure(mail, createdAt, 0)).toEqual({
      status: 'waiting',
      dueAt: after(delayMs),
      settledAt: null,
    });
    expect(mailAfterFailure(mail, createdAt, 1).dueAt).toEqual(after(Math.round(delayMs * 1.1)));
  });

  it('makes the last attempt due 72 hours after the event, and gives the mail up when it has failed', () => {
    const mail = { createdAt, attempts: 20 };
    expect(mailAfterFailure(mail, after(71 * HOUR_MS), 0)).toMatchObject({
      status: 'waiting',
      dueAt: after(72 * HOUR_MS), // instead of 71 + 4 hours
    });
    const end = after(72 * HOUR_MS);
    expect(mailAfterFailure(mail, end, 0)).toEqual({ status: 'given-up', dueAt: end, settledAt: end });
  });
});
