import fc from 'fast-check';
import { parseCanonicalJson } from '../../client/encoding.js';
import { PROOF_VECTORS } from '../../test/fixtures/proof-vectors.js';
import { canonicalJson, type JsonValue } from './canonical-json.js';

describe('canonicalJson', () => {
  it.each(PROOF_VECTORS.jcs.cases)('writes $input as RFC 8785 requires', ({ input, output }) => {
    expect(canonicalJson(JSON.parse(input) as JsonValue)).toBe(output);
  });

  it.each([
    ['a text with half of a surrogate pair', '\ud800'],
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['a field name with half of a surrogate pair', { '\udc00': 1 }],
  ])('refuses %s, which RFC 8785 forbids', (_, value) => {
    expect(() => canonicalJson(value as JsonValue)).toThrow(RangeError);
  });

  it('refuses values that are nested more than 32 levels deep', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    // The outermost list is at level 0, so that the innermost of 33 is at level 32.
    expect(canonicalJson(JSON.parse(nested(33)) as JsonValue)).toBe(nested(33));
    expect(() => canonicalJson(JSON.parse(nested(34)) as JsonValue)).toThrow(RangeError);
  });

  it('writes texts that the client reads as canonical', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = canonicalJson(value as JsonValue);
        expect(canonicalJson(parseCanonicalJson(text))).toBe(text);
      }),
    );
  });
});
