import fc from 'fast-check';
import { canonicalEmail, searchedEmail } from './email.js';

describe('canonicalEmail', () => {
  it.each([
    ['ann@example.org', 'ann@example.org'],
    [' Ann@Example.ORG\n', 'ann@example.org'],
    ['jose\u0301@example.org', 'jos\u00e9@example.org'], // NFD
    ['JOS\u00c9@example.org', 'jos\u00e9@example.org'],
    ['ann@B\u00dcCHER.example', 'ann@xn--bcher-kva.example'],
    ['ann@bu\u0308cher.example', 'ann@xn--bcher-kva.example'],
    ['ann@xn--bcher-kva.example', 'ann@xn--bcher-kva.example'],
    ["o'neil+tag@sub.example.org", "o'neil+tag@sub.example.org"],
    ['ann@localhost', 'ann@localhost'],
  ])('writes %j as %j', (text, email) => {
    expect(canonicalEmail(text)).toEqual({ email });
    expect(canonicalEmail(email)).toEqual({ email });
  });

  it.each([
    ['\u202eann@example.org', /control, format/], // right-to-left override
    ['a\u200bnn@example.org', /control, format/], // zero-width space
    ['ann@exam\u00adple.org', /control, format/], // soft hyphen
    ['a\u034fnn@example.org', /control, format/], // combining grapheme joiner
    ['a\u3164nn@example.org', /control, format/], // Hangul filler
    ['a\u0007nn@example.org', /control, format/],
    ['a\ud800nn@example.org', /control, format/], // lone surrogate
    ['x@example.org>', /must be/],
    ['<x@example.org', /must be/],
    ['Ann <x@example.org>', /must be/],
    ['a nn@example.org', /must be/],
    ['a\u00a0nn@example.org', /must be/],
    ['ann@example@org', /must be/],
    ['ann', /must be/],
    ['@example.org', /must be/],
    ['ann@', /must be/],
    ['ann@example.org.', /must be/],
    ['ann@a%41.org', /must be/],
    ['ann@example.org:80', /must be/],
    ['ann@example.org/x', /must be/],
    ['ann@example.org\\x', /must be/],
    ['ann@192.0.2.1', /must be/],
    ['ann@1', /must be/],
    ['ann@[::1]', /must be/],
    ['\u212aim@example.org', /stand for/], // Kelvin sign
    ['\u0130nn@example.org', /stand for/], // its lower case is i with a combining dot
    ['a\u037eb@example.org', /stand for/], // NFC makes a semicolon of it
    [`${'a'.repeat(65)}@example.org`, /too long/],
    [`ann@${'a.'.repeat(130)}org`, /must be|too long/],
  ])('refuses %j', (text, fault) => {
    expect(canonicalEmail(text)).toEqual({ fault: expect.stringMatching(fault) });
  });

  it('gives the same address for its own result and for every letter case of ASCII', () => {
    const text = fc.tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), fc.domain());
    fc.assert(
      fc.property(text, ([local, domain]) => {
        const { email } = canonicalEmail(`${local}@${domain}`);
        if (email === undefined) return;
        expect(canonicalEmail(email)).toEqual({ email });
        expect(canonicalEmail(`${local}@${domain.toUpperCase()}`)).toEqual({ email });
        expect(canonicalEmail(`${local.normalize('NFD')}@${domain}`)).toEqual({ email });
      }),
    );
  });

  it('searches for the spelling of addresses and of their parts', () => {
    expect(searchedEmail(' ann@B\u00fccher.example ')).toBe('ann@xn--bcher-kva.example');
    expect(searchedEmail('Jose\u0301')).toBe('jos\u00e9');
  });
});
