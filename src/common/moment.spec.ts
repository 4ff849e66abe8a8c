import { byTime, endOf, momentOf } from './moment.js';

describe('A moment to look back to', () => {
  it('at the end of a past day counts the day to its last millisecond', () => {
    expect(endOf('2026-03-01', '2026-03-02')).toEqual({
      day: '2026-03-01',
      until: new Date('2026-03-02T00:00:00.000Z'),
    });
  });

  it('at the end of today is now: everything counts', () => {
    expect(endOf('2026-03-02', '2026-03-02')).toEqual({ day: '2026-03-02', until: null });
  });

  it('at an instant counts what happened at it', () => {
    expect(momentOf(new Date('2026-03-02T10:00:00.000Z'))).toEqual({
      day: '2026-03-02',
      until: new Date('2026-03-02T10:00:00.001Z'),
    });
  });

  it('sorts by time, now last', () => {
    const [now, first, second] = [
      endOf('2026-03-03', '2026-03-03'),
      endOf('2026-03-01', '2026-03-03'),
      momentOf(new Date('2026-03-02T10:00:00.000Z')),
    ];
    expect([now, second, now, first].sort(byTime)).toEqual([first, second, now, now]);
  });
});
