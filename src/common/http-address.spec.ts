import { credentialsOf, httpAddress, withoutCredentials } from './http-address.js';

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('httpAddress', () => {
  it.each([
    ['https://user:secret@node.example/v1?a=b@c', 'https://node.example/v1?a=b@c', 'user:secret'],
    ['https://user:p%40ss%2Fw%C3%B6rd@node.example', 'https://node.example', 'user:p@ss/wörd'],
    ['http://token@127.0.0.1:8545/', 'http://127.0.0.1:8545/', 'token:'],
    ['https://:secret@node.example', 'https://node.example', ':secret'],
    ['https://user:100%@node.example', 'https://node.example', 'user:100%'],
  ])('makes an Authorization header of the credentials in %s', (text, url, credentials) => {
    expect(httpAddress(text)).toEqual({ url, headers: { Authorization: basic(credentials) } });
  });

  it.each(['https://node.example', 'http://127.0.0.1:1/a@b', 'https://node.example?mail=a@b', 'no address'])(
    'leaves %s unchanged, which has no credentials',
    (text) => {
      expect(httpAddress(text)).toEqual({ url: text, headers: {} });
      expect(credentialsOf(text)).toEqual([]);
      expect(withoutCredentials(text)).toBe(text);
    },
  );
});

describe('withoutCredentials', () => {
  it('removes user and password also from an address that is not valid', () => {
    expect(withoutCredentials('ftp://user:secret@node.example:x/')).toBe('ftp://node.example:x/');
  });
});

describe('credentialsOf', () => {
  it('lists the password as written, decoded and as it is sent', () => {
    const sent = basic('user:p@ss').replace('Basic ', '');
    expect(credentialsOf('https://user:p%40ss@node.example')).toEqual(['p%40ss', 'p@ss', sent]);
    expect(credentialsOf('https://token-1@node.example')).toContain('token-1');
  });
});
