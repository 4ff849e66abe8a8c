import { byTime, endOf, momentOf } from './moment.js';

const TODAY = '2026-03-02';

describe('A point in time of a historical balance', () => {
  it('is the following midnight for a past day; the midnight itself is not included', () => {
    expect(endOf('2026-03-01', TODAY)).toEqual({
      day: '2026-03-01',
      until: new Date('2026-03-02T00:00:00.000Z'),
    });
  });

  it('has no end for today, so that every event is included', () => {
    expect(endOf(TODAY, TODAY)).toEqual({ day: '2026-03-02', until: null });
  });

  it('includes events at exactly the given instant', () => {
    expect(momentOf(new Date('2026-03-02T10:00:00.000Z'))).toEqual({
      day: '2026-03-02',
      until: new Date('2026-03-02T10:00:00.001Z'),
    });
  });

  it('sorts by time, with the present last', () => {
    const now = endOf('2026-03-03', '2026-03-03');
    const first = endOf('2026-03-01', '2026-03-03');
    const second = momentOf(new Date('2026-03-02T10:00:00.000Z'));
    // `now` twice, since two moments without an end are compared, too.
    expect([now, second, now, first].sort(byTime)).toEqual([first, second, now, now]);
  });
});
