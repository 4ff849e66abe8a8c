import { PooledClient } from './pooled-client.js';
import { PreparingClient } from './prepared.js';

describe('A connection of the pool', () => {
  it.each([
    ['PooledClient', PooledClient],
    ['PreparingClient', PreparingClient],
  ])('of the class %s survives an error event without a listener', (_, Client) => {
    expect(() => new Client().emit('error', new Error('terminating connection'))).not.toThrow();
  });
});
