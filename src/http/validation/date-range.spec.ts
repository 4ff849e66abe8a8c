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

  it.each([
    ['ends before it starts', { startDate: '2026-02-02', endDate: '2026-02-01' }],
    [
      'ends an instant before it starts',
      { startDate: '2026-02-02T00:00:00.001Z', endDate: '2026-02-02T00:00:00Z' },
    ],
    ['starts tomorrow', { startDate: '2026-03-03' }],
    ['ends tomorrow', { endDate: '2026-03-03' }],
    ['ends a moment after today', { endDate: '2026-03-03T00:00:00.000Z' }],
    ['ends on the last day there is', { endDate: '9999-12-31' }],
  ])('is refused when it %s [SEC-054]', (_, query) => {
    expect(() => instantRange(query, NOW)).toThrow(expect.objectContaining({ code: 'INVALID_DATE_RANGE' }));
  });
});
