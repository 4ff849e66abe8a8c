import { instantRange } from './date-range.js';

const NOW = new Date('2026-03-02T10:00:00.000Z');
const iso = ({ from, to }: ReturnType<typeof instantRange>) => [from?.toISOString(), to?.toISOString()];

describe('A range of dates', () => {
  it('is open where nothing is given', () => {
    expect(iso(instantRange({}, NOW))).toEqual([undefined, undefined]);
  });

  it('takes a date as the whole UTC day', () => {
    expect(iso(instantRange({ startDate: '2026-02-27', endDate: '2026-02-28' }, NOW))).toEqual([
      '2026-02-27T00:00:00.000Z',
      '2026-03-01T00:00:00.000Z', // the midnight after the 28th
    ]);
  });

  it('includes the instant that is its end', () => {
    const range = instantRange(
      { startDate: '2026-02-27T10:00:00+01:00', endDate: '2026-02-27T10:00:00Z' },
      NOW,
    );
    expect(iso(range)).toEqual(['2026-02-27T09:00:00.000Z', '2026-02-27T10:00:00.001Z']);
  });

  it('goes as far as today', () => {
    expect(iso(instantRange({ startDate: '2026-03-02', endDate: '2026-03-02' }, NOW))).toEqual([
      '2026-03-02T00:00:00.000Z',
      '2026-03-03T00:00:00.000Z',
    ]);
  });

  it.each(['2026-03-03', '2026-03-03T23:59:59.999Z', '2026-03-04T13:59:59+14:00'])(
    'may end at %s, which is today somewhere on earth',
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
    ['ends on the last day there is', { endDate: '9999-12-31' }, ENDS_LATE],
  ])('is refused with the rule that it breaks when it %s [SEC-054]', (_, query, message) => {
    expect(() => instantRange(query, NOW)).toThrow(
      expect.objectContaining({ code: 'INVALID_DATE_RANGE', message }),
    );
  });
});
