import { ApiKeyUses, type ApiKeyUse } from './api-key-uses.js';
import type { UserPrincipal } from './principal.js';

const principalOf = (keyId: string) =>
  ({ type: 'user', apiKey: { id: keyId, scopes: [] } }) as unknown as UserPrincipal;
const addressOf = (number: number) => `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;

describe('ApiKeyUses', () => {
  let uses: ApiKeyUses;
  beforeEach(() => (uses = new ApiKeyUses()));

  const use = (keyId: string, address: string) => uses.recordUse(principalOf(keyId), address);
  const networksOf = (keyId: string) =>
    uses.dueUses.filter((due) => due.keyId === keyId).map(({ network }) => network);
  const store = (): ApiKeyUse[] => {
    const due = uses.dueUses;
    uses.removeStored(due);
    return due;
  };

  it('keep the first use of each key, however many networks others use', () => {
    for (let number = 0; number < 100_000; number++) use(`attacker ${number % 50}`, addressOf(number));
    use('victim', '203.0.113.7');
    expect(networksOf('victim')).toEqual(['203.0.113.7']);
    // Of each attacker ten networks and one use of the others, and the use of the victim.
    expect(uses.dueUses.length).toBe(50 * (10 + 1) + 1);
    expect(uses.takeDropped()).toBe(0);
  });

  it('keep ten networks of a key one by one and the others as one use, until they are stored', () => {
    for (let number = 0; number < 300; number++) use('key', addressOf(number));
    const day = new Date().toISOString().slice(0, 10);
    expect(networksOf('key')).toEqual([
      ...Array.from({ length: 10 }, (_, number) => addressOf(number)),
      `many ${day}`,
    ]);
    expect(uses.dueUses.at(-1)).toMatchObject({ isFromMany: true, address: addressOf(299) });
    store();
    use('key', '203.0.113.7');
    expect(networksOf('key')).toEqual(['203.0.113.7']);
  });

  it('keep a first use although the memory for later uses is full', () => {
    for (let key = 0; key < 11_000; key++) {
      use(`key ${key}`, '10.0.0.1');
      if (key % 5000 === 0) store();
    }
    store();
    for (let key = 0; key < 11_000; key++) use(`key ${key}`, '10.0.0.1');
    expect(uses.dueUses).toEqual([]); // stored less than half a minute ago
    expect(uses.allUses).toHaveLength(10_000);
    use('key 1', '203.0.113.7');
    expect(networksOf('key 1')).toEqual(['203.0.113.7']);
  });

  it('count the first uses that were dropped when 10,000 keys are used within a second', () => {
    for (let key = 0; key < 10_003; key++) use(`key ${key}`, '10.0.0.1');
    expect(uses.dueUses).toHaveLength(10_000);
    expect([uses.takeDropped(), uses.takeDropped()]).toEqual([3, 0]);
  });

  it('have each key and network once, also after uses while others are stored', () => {
    const names = () => uses.allUses.map(({ keyId, network }) => `${keyId} ${network}`);
    use('key', '10.0.0.1');
    const due = uses.dueUses;
    use('key', '10.0.0.1');
    uses.removeStored(due);
    use('key', '10.0.0.1');
    expect(names()).toEqual(['key 10.0.0.1']);
    store();
    use('key', '10.0.0.1');
    // So many networks that those which are stored are forgotten.
    for (let number = 0; number < 51_000; number++) {
      use(`key ${number % 5000}`, addressOf(number));
      if (number % 5000 === 4999) store();
    }
    use('key', '10.0.0.1');
    expect(new Set(names()).size).toBe(names().length);
  });
});
