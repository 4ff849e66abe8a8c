import { PooledClient } from './pooled-client.js';
import { PreparingClient } from './prepared.js';

describe('A connection of the pool', () => {
  it.each([PooledClient, PreparingClient])('survives an error for which nothing listens: %p', (Client) => {
    expect(() => new Client().emit('error', new Error('terminating connection'))).not.toThrow();
  });
});
