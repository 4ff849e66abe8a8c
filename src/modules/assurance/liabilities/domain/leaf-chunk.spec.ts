import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { decodeLeaves, encodeLeaves, sortKeyOf, userLeaf } from './leaf-chunk.js';

const amount = fc.bigInt({ min: 0n, max: 2n ** 120n });

describe('Leaves of a chunk', () => {
  it('are read as they were written', () => {
    const components = fc.record({ available: amount, reserved: amount, invested: amount, held: amount });
    fc.assert(
      fc.property(fc.array(components, { minLength: 1, maxLength: 20 }), (list) => {
        const leaves = list.map((amounts) => userLeaf(randomUUID(), randomBytes(16), amounts));
        expect(decodeLeaves(encodeLeaves(leaves))).toEqual(leaves);
      }),
    );
  });

  it('have the sum of their components as their amount', () => {
    const { amount: sum } = userLeaf(randomUUID(), randomBytes(16), {
      available: 1n,
      reserved: 20n,
      invested: 300n,
      held: 4000n,
    });
    expect(sum).toBe(4321n);
  });

  it('are sorted in another order with another shuffle key', () => {
    const ids = Array.from({ length: 20 }, () => randomUUID());
    const order = (key: Buffer) => [...ids].sort((a, b) => sortKeyOf(key, a).compare(sortKeyOf(key, b)));
    expect(order(Buffer.alloc(32, 1))).not.toEqual(order(Buffer.alloc(32, 2)));
  });
});
