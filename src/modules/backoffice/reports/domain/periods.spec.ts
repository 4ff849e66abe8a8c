import {
  precedingIntervalStart,
  intervalStarts,
  daysBeforeEnd,
  daysIn,
  daysWindow,
  MAX_POINTS,
  precedingWindow,
  windowOf,
  type ReportInterval,
} from './periods.js';

const NOW = new Date('2026-03-18T10:20:30.400Z'); // a Wednesday
const at = (text: string) => new Date(`${text}Z`);
const texts = (dates: Date[] | undefined) => dates?.map((date) => date.toISOString().slice(0, 13));

describe('windowOf', () => {
  it.each([
    ['24h', '2026-03-17T11:00', '2026-03-18T11:00'], // this hour and the 23 before it
    ['7d', '2026-03-12T00:00', '2026-03-19T00:00'], // today and the six days before it
    ['30d', '2026-02-17T00:00', '2026-03-19T00:00'],
    ['90d', '2025-12-19T00:00', '2026-03-19T00:00'],
    ['1y', '2025-03-19T00:00', '2026-03-19T00:00'],
    ['all', '2026-01-05T00:00', '2026-03-19T00:00'], // from the first day with activity, given below
  ] as const)('gives the period %s the window from %s to %s', (period, from, to) => {
    expect(windowOf(period, NOW, '2026-01-05')).toMatchObject({ from: at(from), to: at(to) });
  });

  it.each([
    ['1y', '2026-01-05', '2026-01-05T00:00'], // the platform is younger than the year
    ['30d', '2026-01-05', '2026-02-17T00:00'],
    ['24h', '2026-03-18', '2026-03-18T00:00'],
    ['7d', undefined, '2026-03-12T00:00'],
  ] as const)(
    'begins the existing part of the period %s, for a platform whose first day is %s, at %s',
    (period, firstDay, from) => {
      const { to, existing } = windowOf(period, NOW, firstDay);
      expect(existing).toEqual({ from: at(from), to });
    },
  );

  it('gives the period `all` the window of today if there was no activity', () => {
    expect(windowOf('all', NOW, undefined)).toMatchObject(daysWindow('2026-03-18', '2026-03-18'));
  });

  it('moves the window of days at midnight, and that of 24h on the hour', () => {
    const from = (now: string, period: '24h' | '7d') =>
      windowOf(period, new Date(now), undefined).from.toISOString();
    expect(from('2026-03-17T23:59:59.999Z', '7d')).toBe('2026-03-11T00:00:00.000Z');
    expect(from('2026-03-18T00:00:00.000Z', '7d')).toBe('2026-03-12T00:00:00.000Z');
    expect(from('2026-03-18T10:59:59.999Z', '24h')).toBe('2026-03-17T11:00:00.000Z');
    expect(from('2026-03-18T11:00:00.000Z', '24h')).toBe('2026-03-17T12:00:00.000Z');
  });
});

describe('precedingWindow, daysIn and daysBeforeEnd', () => {
  it('count a past window in full, and a window in progress up to the end of the current hour', () => {
    const today = daysWindow('2026-03-18', '2026-03-18'); // eleven hours have begun
    expect(precedingWindow(today, NOW)).toEqual({ from: at('2026-03-17T13:00'), to: at('2026-03-18T00:00') });
    expect(daysIn(today, NOW)).toBe(11 / 24);
    expect(daysBeforeEnd(today, NOW, 7)).toEqual(at('2026-03-11T11:00'));
    const past = daysWindow('2026-03-10', '2026-03-11');
    expect(precedingWindow(past, NOW)).toEqual(daysWindow('2026-03-08', '2026-03-09'));
    expect(daysIn(past, NOW)).toBe(2);
    expect(daysBeforeEnd(past, NOW, 7)).toEqual(at('2026-03-05T00:00'));
  });
});

describe('intervalStarts', () => {
  const startsOf = (from: string, to: string, interval: ReportInterval, now = NOW) =>
    texts(intervalStarts(daysWindow(from, to), interval, now));

  it('gives the hours up to the current one', () => {
    expect(startsOf('2026-03-18', '2026-03-18', 'hourly')).toEqual(
      ['00', '01', '02', '03', '04', '05', '06', '07', '08', '09', '10'].map((hour) => `2026-03-18T${hour}`),
    );
    expect(startsOf('2026-03-16', '2026-03-17', 'hourly')).toHaveLength(48);
    expect(startsOf('2026-03-18', '2026-03-18', 'hourly', at('2026-03-18T00:00'))).toEqual(['2026-03-18T00']);
  });

  it('gives days, weeks from Monday and calendar months; the first interval starts with the range', () => {
    expect(startsOf('2026-03-01', '2026-03-03', 'daily')).toEqual(
      ['2026-03-01', '2026-03-02', '2026-03-03'].map((day) => `${day}T00`),
    );
    // the 1st is a Sunday, the 2nd and the 9th are Mondays
    expect(startsOf('2026-03-01', '2026-03-09', 'weekly')).toEqual(
      ['2026-03-01', '2026-03-02', '2026-03-09'].map((day) => `${day}T00`),
    );
    expect(startsOf('2026-01-31', '2026-03-01', 'monthly')).toEqual(
      ['2026-01-31', '2026-02-01', '2026-03-01'].map((day) => `${day}T00`),
    );
  });

  it('gives undefined for more intervals than one response may have', () => {
    // MAX_POINTS is 1,100. In hours this is 45 days and 20 hours; in days it is 15 March 2023 to 18 March 2026.
    expect(startsOf('2026-01-01', '2026-02-14', 'hourly')).toHaveLength(45 * 24);
    expect(startsOf('2026-01-01', '2026-02-15', 'hourly')).toBeUndefined();
    expect(startsOf('2023-03-15', '2026-03-18', 'daily')).toHaveLength(MAX_POINTS);
    expect(startsOf('2023-03-14', '2026-03-18', 'daily')).toBeUndefined();
  });
});

describe('precedingIntervalStart', () => {
  it.each([
    ['hourly', '2026-03-18', '2026-03-17T23'],
    ['daily', '2026-03-01', '2026-02-28T00'],
    ['weekly', '2026-03-16', '2026-03-09T00'], // from a Monday: the whole week before
    ['weekly', '2026-03-18', '2026-03-16T00'], // from a Wednesday: the Monday and Tuesday before it
    ['weekly', '2026-03-15', '2026-03-09T00'], // from a Sunday: the six days before it
    ['monthly', '2026-03-01', '2026-02-01T00'],
    ['monthly', '2026-03-02', '2026-03-01T00'],
    ['monthly', '2026-01-01', '2025-12-01T00'],
  ] as const)('puts the start of the %s interval before %s at %s', (interval, from, expected) => {
    expect(texts([precedingIntervalStart(at(`${from}T00:00`), interval)])).toEqual([expected]);
  });
});
