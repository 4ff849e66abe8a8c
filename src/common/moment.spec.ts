import { byTime, endOf, momentOf } from './moment.js';

describe('A moment of a historical balance', () => {
  it('includes a past day up to its last millisecond', () => {
    expect(endOf('2026-03-01', '2026-03-02')).toEqual({
      day: '2026-03-01',
      until: new Date('2026-03-02T00:00:00.000Z'),
    });
  });

  it('has no end for today, so that every event is included', () => {
    expect(endOf('2026-03-02', '2026-03-02')).toEqual({ day: '2026-03-02', until: null });
  });

  it('includes events at exactly the given instant', () => {
    expect(momentOf(new Date('2026-03-02T10:00:00.000Z'))).toEqual({
      day: '2026-03-02',
      until: new Date('2026-03-02T10:00:00.001Z'),
    });
  });

  it('sorts by time, with the present last', () => {
    const [now, first, second] = [
      endOf('2026-03-03', '2026-03-03'),
      endOf('2026-03-01', '2026-03-03'),
      momentOf(new Date('2026-03-02T10:00:00.000Z')),
    ];
    expect([now, second, now, first].sort(byTime)).toEqual([first, second, now, now]);
  });
});
