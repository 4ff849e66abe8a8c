import { groupBy, Groups } from './groups.js';

describe('Groups', () => {
  it('keeps the members of each name apart, each member once, in the order of insertion', () => {
    const groups = new Groups<string>();
    groups.addTo('a', 'second');
    groups.addTo('a', 'first');
    groups.addTo('b', 'other');
    groups.addTo('a', 'second');
    expect([...groups.membersOf('a')]).toEqual(['second', 'first']);
    expect([...groups.membersOf('b')]).toEqual(['other']);
    expect([...groups.membersOf('c')]).toEqual([]);
  });

  it('forgets a name with its last member', () => {
    const groups = new Groups<number>();
    groups.addTo('a', 1);
    groups.addTo('a', 2);
    groups.removeFrom('a', 1);
    groups.removeFrom('b', 1);
    expect([...groups.membersOf('a')]).toEqual([2]);
    groups.removeFrom('a', 2);
    expect(groups).toEqual(new Groups());
  });
});

describe('groupBy', () => {
  it('keeps the order of keys and items, and leaves out items without a key', () => {
    const keys: Record<string, string | null> = { apple: 'a', bee: 'b', nut: null, ape: 'a' };
    expect([...groupBy(['apple', 'bee', 'nut', 'other', 'ape'], (item) => keys[item])]).toEqual([
      ['a', ['apple', 'ape']],
      ['b', ['bee']],
    ]);
  });
});
