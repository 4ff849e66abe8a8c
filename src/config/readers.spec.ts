import { bearerToken, evmAddresses } from './readers.js';

describe('A setting of a bearer token', () => {
  it.each([
    'metrics token 0123456789',
    'metrics-token-0123456789\u00a0',
    'métrics-token-0123456789',
    'abc-123',
  ])('rejects %j', (text) => expect(bearerToken(16).read(text)).toBeUndefined());

  it('accepts printable ASCII without spaces', () => {
    const token = 'M/t+0123456789abcdef==';
    expect(bearerToken(16).read(token)).toBe(token);
  });
});

describe('A setting of addresses on the chain', () => {
  it('has the letter case of their checksum, so that two spellings of one address are equal', () => {
    const address = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
    expect(evmAddresses.read(`${address}, ${address.toLowerCase()}`)).toEqual([address, address]);
    expect(evmAddresses.read(`${address},0x1`)).toBeUndefined();
  });
});
