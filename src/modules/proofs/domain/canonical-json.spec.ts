import fc from 'fast-check';
import { PROOF_VECTORS } from '../../../../test/fixtures/proof-vectors.js';
import { canonicalJson, type JsonValue, parseCanonicalJson } from './canonical-json.js';

const { cases, refused } = PROOF_VECTORS.jcs;

describe('canonicalJson', () => {
  it.each(cases)('writes $input as RFC 8785 demands', ({ input, output }) => {
    expect(canonicalJson(JSON.parse(input) as JsonValue)).toBe(output);
    expect(parseCanonicalJson(output)).toEqual(JSON.parse(output));
  });

  it.each([['\ud800'], [Number.NaN], [Number.POSITIVE_INFINITY], [{ '\udc00': 1 }]])(
    'refuses a value that JSON cannot contain',
    (value) => {
      expect(() => canonicalJson(value as JsonValue)).toThrow(RangeError);
    },
  );

  it('refuses values that are nested too deeply', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseCanonicalJson(nested(33))).toEqual(JSON.parse(nested(33)));
    expect(parseCanonicalJson(nested(34))).toBeUndefined();
    expect(parseCanonicalJson(nested(1_000_000))).toBeUndefined();
  });
});

describe('parseCanonicalJson', () => {
  it.each(refused.map((text) => ({ text })))('refuses the text $text', ({ text }) => {
    expect(parseCanonicalJson(text)).toBeUndefined();
  });

  it('reads exactly the texts that canonicalJson writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.boolean(), (value, isIndented) => {
        const text = canonicalJson(value as JsonValue);
        expect(canonicalJson(parseCanonicalJson(text) as JsonValue)).toBe(text);
        const other = isIndented ? JSON.stringify(value, null, 1) : `${text} `;
        if (other !== text) expect(parseCanonicalJson(other)).toBeUndefined();
      }),
    );
  });
});
