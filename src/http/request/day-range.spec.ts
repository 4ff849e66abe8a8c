import { DomainError } from '../../common/errors/domain-error.js';
import { dayRange } from './day-range.js';

const NOW = new Date('2026-03-02T10:00:00.000Z');

function outcome(startDate?: string, endDate?: string, atMost?: number): unknown {
  try {
    const query = { ...(startDate ? { startDate } : {}), ...(endDate ? { endDate } : {}) };
    const { from, to } = dayRange(query, NOW, { lastDays: 30, ...(atMost ? { atMost } : {}) });
    return `${from} ${to}`;
  } catch (error) {
    return (error as DomainError).code;
  }
}

describe('A range of days', () => {
  it.each([
    ['the last 30 days by itself', undefined, undefined, '2026-02-01 2026-03-02'],
    ['up to today', '2026-02-20', undefined, '2026-02-20 2026-03-02'],
    ['the 30 days up to its end', undefined, '2026-01-30', '2026-01-01 2026-01-30'],
    ['one day', '2026-03-02', '2026-03-02', '2026-03-02 2026-03-02'],
    [
      'the UTC days of instants',
      '2026-03-01T00:30:00+02:00',
      '2026-03-01T23:00:00-02:00',
      '2026-02-28 2026-03-02',
    ],
    ['from the earliest day', '1970-01-01', '1970-01-01', '1970-01-01 1970-01-01'],
    [
      'from the earliest day where 30 days would begin before it',
      undefined,
      '1970-01-10',
      '1970-01-01 1970-01-10',
    ],
    ['up to today where it ends tomorrow', '2026-03-01', '2026-03-03', '2026-03-01 2026-03-02'],
  ])('is %s', (_what, start, end, expected) => expect(outcome(start, end)).toBe(expected));

  it.each([
    ['a start after the end', '2026-03-02', '2026-03-01'],
    ['an instant after the end', '2026-03-01T10:00:00Z', '2026-03-01T09:59:59.999Z'],
    ['a start after today', '2026-03-03', undefined],
    ['an end after tomorrow', undefined, '2026-03-04'],
    ['a start before 1970', '1969-12-31', undefined],
    ['an end before 1970', undefined, '1969-12-31'],
    ['the year 0', '0000-01-01', '0000-01-02'],
    ['the end of all time', undefined, '9999-12-31'],
  ])('refuses %s', (_what, start, end) => expect(outcome(start, end)).toBe('INVALID_DATE_RANGE'));

  it('is no longer than allowed', () => {
    expect(outcome('2026-03-01', '2026-03-02', 2)).toBe('2026-03-01 2026-03-02');
    expect(outcome('2026-02-28', '2026-03-02', 2)).toBe('INVALID_DATE_RANGE');
  });
});
