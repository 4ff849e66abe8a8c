import type { DomainError } from '../../common/errors/domain-error.js';
import { dayRange, instantRange } from './date-range.js';

const NOW = new Date('2026-03-02T10:00:00.000Z');
const iso = ({ from, to }: ReturnType<typeof instantRange>) => [from?.toISOString(), to?.toISOString()];

describe('instantRange', () => {
  it('has no limits without dates', () => {
    expect(iso(instantRange({}, NOW))).toEqual([undefined, undefined]);
  });

  it('treats a date as the whole UTC day', () => {
    expect(iso(instantRange({ startDate: '2026-02-27', endDate: '2026-02-28' }, NOW))).toEqual([
      '2026-02-27T00:00:00.000Z',
      '2026-03-01T00:00:00.000Z', // the midnight after the 28th
    ]);
  });

  it('includes its last instant', () => {
    const range = instantRange(
      { startDate: '2026-02-27T10:00:00+01:00', endDate: '2026-02-27T10:00:00Z' },
      NOW,
    );
    expect(iso(range)).toEqual(['2026-02-27T09:00:00.000Z', '2026-02-27T10:00:00.001Z']);
  });

  it('accepts the range of today alone', () => {
    expect(iso(instantRange({ startDate: '2026-03-02', endDate: '2026-03-02' }, NOW))).toEqual([
      '2026-03-02T00:00:00.000Z',
      '2026-03-03T00:00:00.000Z',
    ]);
  });

  it.each(['2026-03-03', '2026-03-03T23:59:59.999Z', '2026-03-04T13:59:59+14:00'])(
    'accepts the end %s, which is not after tomorrow in UTC',
    (endDate) => {
      expect(instantRange({ endDate }, NOW).to).toEqual(expect.any(Date));
    },
  );

  const REVERSED = 'The start date must not be after the end date.';
  const STARTS_LATE = 'The start date must not be after today, 2026-03-02 (UTC).';
  const ENDS_LATE = 'The end date must not be after tomorrow, 2026-03-03 (UTC).';

  it.each([
    ['ends before it starts', { startDate: '2026-02-02', endDate: '2026-02-01' }, REVERSED],
    [
      'ends an instant before it starts',
      { startDate: '2026-02-02T00:00:00.001Z', endDate: '2026-02-02T00:00:00Z' },
      REVERSED,
    ],
    ['starts tomorrow', { startDate: '2026-03-03' }, STARTS_LATE],
    ['starts and ends tomorrow', { startDate: '2026-03-03', endDate: '2026-03-03' }, STARTS_LATE],
    ['ends after tomorrow', { endDate: '2026-03-04' }, ENDS_LATE],
    ['ends a moment after tomorrow', { endDate: '2026-03-04T00:00:00.000Z' }, ENDS_LATE],
    ['ends on the last day of the calendar', { endDate: '9999-12-31' }, ENDS_LATE],
  ])('refuses a range that %s and names the violated rule [SEC-054]', (_, query, message) => {
    expect(() => instantRange(query, NOW)).toThrow(
      expect.objectContaining({ code: 'INVALID_DATE_RANGE', message }),
    );
  });
});

/** The range as text, or the code of the refusal. */
function outcome(
  startDate: string | undefined,
  endDate: string | undefined,
  options: { atMost?: number; mayEndLater?: boolean } = {},
): string {
  try {
    const query = { ...(startDate ? { startDate } : {}), ...(endDate ? { endDate } : {}) };
    const { from, to } = dayRange(query, NOW, { lastDays: 30, ...options });
    return `${from} ${to}`;
  } catch (error) {
    return (error as DomainError).code;
  }
}

describe('dayRange', () => {
  it.each([
    ['the last 30 days by default', undefined, undefined, '2026-02-01 2026-03-02'],
    ['the days from the start to today', '2026-02-20', undefined, '2026-02-20 2026-03-02'],
    ['the 30 days up to its end', undefined, '2026-01-30', '2026-01-01 2026-01-30'],
    ['a single day', '2026-03-02', '2026-03-02', '2026-03-02 2026-03-02'],
    [
      'the UTC days of instants',
      '2026-03-01T00:30:00+02:00',
      '2026-03-01T23:00:00-02:00',
      '2026-02-28 2026-03-02',
    ],
    ['the earliest day', '1970-01-01', '1970-01-01', '1970-01-01 1970-01-01'],
    [
      'the days from 1970 on if 30 days would begin earlier',
      undefined,
      '1970-01-10',
      '1970-01-01 1970-01-10',
    ],
    ['the days up to today if the end is tomorrow', '2026-03-01', '2026-03-03', '2026-03-01 2026-03-02'],
  ])('gives %s', (_what, start, end, expected) => expect(outcome(start, end)).toBe(expected));

  it.each([
    ['a start after the end', '2026-03-02', '2026-03-01'],
    ['a start after the end on the same day', '2026-03-01T10:00:00Z', '2026-03-01T09:59:59.999Z'],
    ['a start after today', '2026-03-03', undefined],
    ['an end after tomorrow', undefined, '2026-03-04'],
    ['a start before 1970', '1969-12-31', undefined],
    ['an end before 1970', undefined, '1969-12-31'],
    ['the year 0', '0000-01-01', '0000-01-02'],
    ['the last day of the calendar', undefined, '9999-12-31'],
  ])('refuses %s', (_what, start, end) => expect(outcome(start, end)).toBe('INVALID_DATE_RANGE'));

  it.each([
    ['keeps an end in the future', '2026-01-01', '2026-12-31', '2026-01-01 2026-12-31'],
    ['begins with the 30 days up to today without a start', undefined, '2026-12-31', '2026-02-01 2026-12-31'],
    ['ends today without an end', '2026-02-20', undefined, '2026-02-20 2026-03-02'],
    ['refuses a start after today', '2026-03-03', '2026-12-31', 'INVALID_DATE_RANGE'],
    ['refuses a start after the end', '2026-03-02', '2026-03-01', 'INVALID_DATE_RANGE'],
    ['refuses a start before 1970', '1969-12-31', '1970-12-31', 'INVALID_DATE_RANGE'],
    ['refuses more days than the maximum', '2026-03-02', '2027-03-02', 'INVALID_DATE_RANGE'], // 366 days
    ['refuses the last day of the calendar', '2026-03-02', '9999-12-31', 'INVALID_DATE_RANGE'],
  ])('with `mayEndLater` %s', (_what, start, end, expected) =>
    expect(outcome(start, end, { atMost: 365, mayEndLater: true })).toBe(expected),
  );

  it('refuses more days than the maximum', () => {
    expect(outcome('2026-03-01', '2026-03-02', { atMost: 2 })).toBe('2026-03-01 2026-03-02');
    expect(outcome('2026-02-28', '2026-03-02', { atMost: 2 })).toBe('INVALID_DATE_RANGE');
  });
});
