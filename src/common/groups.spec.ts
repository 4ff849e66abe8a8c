import { Groups } from './groups.js';

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
