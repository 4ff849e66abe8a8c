import { endsOf } from './intervals.js';

describe('endsOf', () => {
  const ends = (from: string, to: string, interval: 'daily' | 'weekly' | 'monthly') =>
    endsOf(from, to, interval, 100);

  it('returns every day for daily intervals', () => {
    expect(ends('2026-02-27', '2026-03-02', 'daily')).toEqual([
      '2026-02-27',
      '2026-02-28',
      '2026-03-01',
      '2026-03-02',
    ]);
  });

  it('returns Sundays for weekly intervals, and the end of the range', () => {
    // 2026-02-25 is a Wednesday, 2026-03-10 a Tuesday
    expect(ends('2026-02-25', '2026-03-10', 'weekly')).toEqual(['2026-03-01', '2026-03-08', '2026-03-10']);
  });

  it.each([
    ['a Monday', '2026-03-02', ['2026-03-08', '2026-03-09']],
    ['a Sunday', '2026-03-08', ['2026-03-08', '2026-03-09']],
  ])('ends the first week on Sunday if the range starts on %s', (_what, from, expected) => {
    expect(ends(from, '2026-03-09', 'weekly')).toEqual(expected);
  });

  it('continues weeks over the turn of the year', () => {
    expect(ends('2026-12-28', '2027-01-04', 'weekly')).toEqual(['2027-01-03', '2027-01-04']);
  });

  it('returns the last days of calendar months, also in leap years', () => {
    expect(ends('2027-12-15', '2028-03-01', 'monthly')).toEqual([
      '2027-12-31',
      '2028-01-31',
      '2028-02-29',
      '2028-03-01',
    ]);
  });

  it('adds no extra end if the range ends on the last day of an interval', () => {
    expect(ends('2026-03-01', '2026-03-31', 'monthly')).toEqual(['2026-03-31']);
    expect(ends('2026-03-02', '2026-03-08', 'weekly')).toEqual(['2026-03-08']);
  });

  it('returns one interval for one day', () => {
    expect(ends('2026-03-02', '2026-03-02', 'monthly')).toEqual(['2026-03-02']);
  });

  it('returns undefined for more intervals than the maximum', () => {
    expect(endsOf('2026-03-01', '2026-03-03', 'daily', 3)).toHaveLength(3);
    expect(endsOf('2026-03-01', '2026-03-04', 'daily', 3)).toBeUndefined();
    expect(endsOf('0001-01-01', '2026-03-04', 'daily', 3)).toBeUndefined();
  });
});
