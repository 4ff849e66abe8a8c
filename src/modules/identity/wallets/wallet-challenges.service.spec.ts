import { createSignInMessage, parseSignInMessage } from './wallet-challenges.service.js';

const FIELDS = {
  address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  version: '1',
  chainId: 11_297_108_109,
  statement: 'Sign in.',
  nonce: '0123456789abcdef',
  issuedAt: new Date('2026-03-02T10:00:00Z'),
  expirationTime: new Date('2026-03-02T10:05:00Z'),
} as const;

describe('A message for signing in with a wallet', () => {
  it.each([
    'app.example.com',
    'app.example.com:8443',
    'localhost:3000',
    'xn--e1afmkfd.xn--p1ai',
    'app_1.example.com',
    'intranet:8080',
    '[2001:db8::1]:3000',
    '203.0.113.7',
  ])('has the domain %s of its platform', (domain) => {
    const uri = `https://${domain}`;
    const message = createSignInMessage({ ...FIELDS, domain, uri });
    expect(message.split('\n')[0]).toBe(`${domain} wants you to sign in with your Ethereum account:`);
    expect(parseSignInMessage(message)).toEqual({ ...FIELDS, domain, uri });
    expect(parseSignInMessage(`https://${message}`)).toMatchObject({ scheme: 'https', domain });
  });

  it.each(['user@app.example.com', 'app.example.com/path'])('is not read with the domain %j', (domain) => {
    const message = createSignInMessage({ ...FIELDS, domain: 'a.example', uri: 'https://a.example' });
    const { domain: read, address } = parseSignInMessage(message.replace(/^\S+/, domain));
    expect(read === domain && address !== undefined).toBe(false);
  });
});
