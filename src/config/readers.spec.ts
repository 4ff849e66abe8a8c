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

  it('is rejected if the checksum of mixed letters is wrong, which a typing error explains', () => {
    expect(evmAddresses.read('0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5D359')).toBeUndefined();
    expect(evmAddresses.read('0xFB6916095CA1DF60BB79CE92CE3EA74C37C5D359')).toHaveLength(1);
  });
});
