import { nextNonce } from './payouts.js';

const nonces = (next: number, signatures: number, ...pending: number[]) => ({ next, signatures, pending });

describe('nextNonce', () => {
  it.each([
    // title, the chain's transaction count, nonces before it was read, nonces under the lock → the next nonce
    ['uses the transaction count of a new account', 0, nonces(0, 0), nonces(0, 0), 0],
    ['follows the last mined transaction', 5, nonces(5, 5), nonces(5, 5), 5],
    ['follows the pending transactions', 3, nonces(5, 5, 3, 4), nonces(5, 5, 3, 4), 5],
    ['follows a nonce that was used meanwhile', 5, nonces(5, 5), nonces(6, 6, 5), 6],
    ['follows a nonce that was used and mined meanwhile', 5, nonces(5, 5), nonces(6, 6), 6],
    ['skips a transaction that was mined after the count was read', 4, nonces(5, 5, 4), nonces(5, 5), 5],
    ['follows transactions sent by other programs', 9, nonces(5, 5), nonces(5, 5), 9],
    ['starts again on a chain that was set back', 2, nonces(7, 7), nonces(7, 7), 2],
    ['fills the gap that a chain set back has left', 4, nonces(7, 7, 5, 6), nonces(7, 7, 5, 6), 4],
    [
      'follows the pending transactions after the gap is filled',
      5,
      nonces(5, 8, 5, 6),
      nonces(5, 8, 5, 6),
      7,
    ],
  ])('%s', (_, minedCount, before, underLock, expected) => {
    expect(nextNonce(minedCount, before, underLock)).toBe(expected);
  });
});
