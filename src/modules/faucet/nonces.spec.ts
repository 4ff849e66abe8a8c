import { nextNonce } from './nonces.js';

const nonces = (next: number, signatures: number, ...underWay: number[]) => ({ next, signatures, underWay });

describe('The next nonce', () => {
  it.each([
    // the chain's count, what was known before it was asked, what is known now → the nonce
    ['of a new account is the chain’s count', 0, nonces(0, 0), nonces(0, 0), 0],
    ['follows the last one mined', 5, nonces(5, 5), nonces(5, 5), 5],
    ['follows those that are not mined yet', 3, nonces(5, 5, 3, 4), nonces(5, 5, 3, 4), 5],
    ['follows one that was given out meanwhile', 5, nonces(5, 5), nonces(6, 6, 5), 6],
    ['follows one that was given out and mined meanwhile', 5, nonces(5, 5), nonces(6, 6), 6],
    ['is not one that was mined since it was counted', 4, nonces(5, 5, 4), nonces(5, 5), 5],
    ['follows what somebody else sent from the account', 9, nonces(5, 5), nonces(5, 5), 9],
    ['begins again on a chain that was set back', 2, nonces(7, 7), nonces(7, 7), 2],
    ['fills the gap that a chain set back has left', 4, nonces(7, 7, 5, 6), nonces(7, 7, 5, 6), 4],
    ['goes past what is under way once the gap is filled', 5, nonces(7, 8, 5, 6), nonces(7, 8, 5, 6), 7],
  ])('%s', (_, count, before, now, nonce) => {
    expect(nextNonce(count, before, now)).toBe(nonce);
  });
});
