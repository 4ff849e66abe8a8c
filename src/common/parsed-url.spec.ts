import { parsedUrl } from './parsed-url.js';

describe('An address', () => {
  it('is undefined for text that is none', () => {
    expect(parsedUrl('bücher.example')).toBeUndefined();
  });

  it('is parsed in the same way however often this happens, with letters outside of ASCII, too', () => {
    const hosts = new Set<string | undefined>();
    for (let count = 0; count < 20_000; count++) hosts.add(parsedUrl('https://bücher.example')?.host);
    expect([...hosts]).toEqual(['xn--bcher-kva.example']);
  });
});
