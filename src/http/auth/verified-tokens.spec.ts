import { realSeconds } from '../../common/clock.js';
import type { Principal } from './principal.js';
import { VerifiedTokens } from './verified-tokens.js';

const verified = (expiresAt: number) => ({
  expiresAt,
  getPrincipal: () => Promise.reject<Principal>(new Error('not called')),
});

afterEach(() => {
  jest.restoreAllMocks();
});

describe('VerifiedTokens', () => {
  it('finds a token that was verified, and no other token with the same signature', () => {
    const tokens = new VerifiedTokens();
    const stored = verified(realSeconds() + 60);
    tokens.storeToken('header.claims.signature', stored);
    expect(tokens.findToken('header.claims.signature')).toBe(stored);
    expect(tokens.findToken('header.other.signature')).toBeUndefined();
  });

  it('finds a token before the second of its expiry, and not from then on', () => {
    const tokens = new VerifiedTokens();
    const expiresAt = realSeconds() + 60;
    tokens.storeToken('a.b.c', verified(expiresAt));
    jest.spyOn(Date, 'now').mockReturnValue(expiresAt * 1000 - 1);
    expect(tokens.findToken('a.b.c')).toBeDefined();
    jest.spyOn(Date, 'now').mockReturnValue(expiresAt * 1000);
    expect(tokens.findToken('a.b.c')).toBeUndefined();
  });
});
