import { PROOF_VECTORS } from '../test/fixtures/proof-vectors.js';
import { canonicalJson, parseCanonicalJson, ProofError } from './encoding.js';

describe('canonical JSON', () => {
  it.each(PROOF_VECTORS.jcs.refused.map((text) => ({ text })))('refuses the text $text', ({ text }) => {
    expect(() => parseCanonicalJson(text)).toThrow(ProofError);
  });

  it.each(PROOF_VECTORS.jcs.cases)('writes $input as RFC 8785 demands', ({ input, output }) => {
    expect(canonicalJson(JSON.parse(input) as never)).toBe(output);
    expect(canonicalJson(parseCanonicalJson(output))).toBe(output);
  });
});
