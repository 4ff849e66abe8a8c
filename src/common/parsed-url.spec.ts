import { parsedUrl } from './parsed-url.js';

describe('A URL', () => {
  it('is undefined for text that is none', () => {
    expect(parsedUrl('bücher.example')).toBeUndefined();
  });

  it('is parsed in the same way at every call, also with letters outside of ASCII', () => {
    const hosts = new Set<string | undefined>();
    // `URL.canParse` of Node 20 refuses such text after some thousand calls.
    for (let count = 0; count < 20_000; count++) hosts.add(parsedUrl('https://bücher.example')?.host);
    expect([...hosts]).toEqual(['xn--bcher-kva.example']);
  });
});
