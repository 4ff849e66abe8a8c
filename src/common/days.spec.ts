import fc from 'fast-check';
import { addDays, dayOf, daysBetween, endsOf, isDay, startOfDay } from './days.js';

const day = fc
  .date({
    min: new Date('1970-01-01T00:00:00Z'),
    max: new Date('2999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  })
  .map(dayOf);

describe('Days', () => {
  it.each([
    ['2026-03-02T00:00:00.000Z', '2026-03-02'],
    ['2026-03-02T23:59:59.999Z', '2026-03-02'],
    ['2026-03-02T00:30:00+01:00', '2026-03-01'], // in UTC it is still 23:30 of the day before
  ])('the UTC day of %s is %s', (instant, expected) => {
    expect(dayOf(new Date(instant))).toBe(expected);
  });

  it('starts a day at midnight UTC', () => {
    expect(startOfDay('2026-03-29').toISOString()).toBe('2026-03-29T00:00:00.000Z');
  });

  it.each([
    ['2026-02-28', 1, '2026-03-01'],
    ['2028-02-28', 1, '2028-02-29'], // a leap year
    ['2026-12-31', 1, '2027-01-01'],
    ['2026-03-29', 1, '2026-03-30'], // clocks change in Europe, not in UTC
    ['2026-03-01', -1, '2026-02-28'],
    ['2026-03-01', 0, '2026-03-01'],
  ])('%s plus %i days is %s', (from, count, expected) => {
    expect(addDays(from, count)).toBe(expected);
  });

  it.each(['2026-02-28', '2028-02-29', '1970-01-01'])('accepts %s as a day', (text) =>
    expect(isDay(text)).toBe(true),
  );

  it.each([
    '2026-02-29',
    '2026-02-30',
    '2026-13-01',
    '2026-00-10',
    '2026-1-1',
    '26-01-01',
    '2026-01-01T00:00:00Z',
    '',
    'today',
  ])('rejects %j as a day', (text) => expect(isDay(text)).toBe(false));

  it('adding days and subtracting them again returns the first day, and daysBetween returns their number', () => {
    fc.assert(
      fc.property(day, fc.integer({ min: -5000, max: 5000 }), (from, count) => {
        expect(daysBetween(from, addDays(from, count))).toBe(count);
        expect(addDays(addDays(from, count), -count)).toBe(from);
      }),
    );
  });

  it('sorts days as text in the order of time', () => {
    fc.assert(
      fc.property(day, day, (a, b) => {
        expect(a < b).toBe(startOfDay(a) < startOfDay(b));
      }),
    );
  });
});

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
