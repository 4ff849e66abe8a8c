import { ConcurrencyLimiter, type QueuedRequest } from './concurrency-limiter.js';

const BOUNDS = { fewest: 2, few: 4, most: 8, waiting: 3, waitMs: 500 };

describe('A gate', () => {
  let gate: ConcurrencyLimiter;
  let told: string[];

  beforeEach(() => {
    gate = new ConcurrencyLimiter(BOUNDS);
    told = [];
  });

  const come = (name: string | number, at = 0): QueuedRequest => {
    const guest = { enter: () => told.push(`${name} in`), refuse: () => told.push(`${name} refused`) };
    if (gate.enter()) guest.enter();
    else if (gate.isFull) guest.refuse();
    else gate.wait(guest, at);
    return guest;
  };
  const comeAll = (count: number, at = 0) => Array.from({ length: count }, (_, index) => come(index + 1, at));

  it('lets the few in, lets some wait and refuses the others at once', () => {
    comeAll(8);
    expect(told).toEqual(['1 in', '2 in', '3 in', '4 in', '8 refused']);
    expect([gate.inWork, gate.waiting, gate.isFull]).toEqual([4, 3, true]);
  });

  it('lets the first in line in when somebody leaves, and nobody past the line', () => {
    comeAll(6);
    gate.leave();
    come(7);
    expect(told.slice(4)).toEqual(['5 in']);
    gate.leave();
    expect(told.slice(5)).toEqual(['6 in']);
    expect(gate.waiting).toBe(1);
  });

  it('refuses who has waited for so long, and only those', () => {
    comeAll(4);
    come('early', 100);
    come('late', 101);
    gate.look(600, 'connections');
    expect(told.slice(4)).toEqual(['early refused']);
    gate.leave();
    expect(told.slice(5)).toEqual(['late in']);
  });

  it('forgets who went away while waiting', () => {
    comeAll(4);
    const gone = come('gone');
    come('next');
    gate.forget(gone);
    gate.leave();
    expect(told.slice(4)).toEqual(['next in']);
  });

  it('takes in more step by step while somebody waits and nothing is short, up to the most', () => {
    comeAll(7);
    gate.look(1, undefined); // 4 + 4/8, and whole ones
    expect(gate.inWork).toBe(5);
    for (const at of [2, 3, 4, 5, 6]) {
      come(`at ${at}`, at);
      come(`too at ${at}`, at);
      gate.look(at, undefined);
    }
    expect([gate.inWork, gate.waiting]).toEqual([8, 3]);
  });

  it('does not grow while nobody waits', () => {
    comeAll(3);
    for (const at of [1, 2, 3]) gate.look(at, undefined);
    comeAll(8);
    expect(gate.inWork).toBe(4);
  });

  it.each([
    ['connections', 4],
    ['processor', 2],
  ] as const)(
    'takes in fewer while %s are short, a quarter each time, and never fewer than %i',
    (short, least) => {
      comeAll(7);
      for (const at of [1, 2, 3]) gate.look(at, undefined); // 5, 6, 7
      expect(gate.inWork).toBe(7);
      gate.look(4, short); // 7 × 0.75 = 5.25
      gate.leave();
      gate.leave();
      come('at five', 4);
      expect([gate.inWork, gate.waiting]).toEqual([5, 1]);
      for (const at of [5, 6, 7, 8, 9]) gate.look(at, short);
      while (gate.waiting > 0) gate.leave();
      expect(gate.inWork).toBe(least);
    },
  );
});
