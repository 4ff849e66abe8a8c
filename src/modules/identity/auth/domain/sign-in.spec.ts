import { requireAllowedRedirectUrl } from './sign-in.js';

const CONFIG = {
  PUBLIC_URL: 'https://xn--e1afmkfd.xn--p1ai',
  CORS_ORIGINS: ['capacitor://localhost', 'https://m.example.com'],
};
const check = (url: string) => () => requireAllowedRedirectUrl(url, CONFIG);

describe('A destination after the sign-in', () => {
  it.each([
    'https://xn--e1afmkfd.xn--p1ai/welcome',
    'https://m.example.com',
    'capacitor://localhost',
    'capacitor://localhost/welcome?a=1',
  ])('can be %s', (url) => expect(check(url)).not.toThrow());

  it.each([
    'capacitor://localhost.evil.example',
    'capacitor://localhost@evil.example',
    'capacitor://user@localhost/',
    'capacitor://localhost:8080/',
    'capacitor:localhost',
    'ionic://localhost',
    'http://localhost',
    'javascript://localhost/%0aalert(1)',
  ])('cannot be %s', (url) => expect(check(url)).toThrow('not valid'));
});
