import { PROOF_VECTORS, vectorCheckpoint } from '../test/fixtures/proof-vectors.js';
import { canonicalJson, parseCanonicalJson, ProofError } from './encoding.js';
import {
  verifyCheckpoint,
  verifyConsistency,
  verifyInclusion,
  verifyLiability,
  verifyPublishedLiabilities,
  verifyReceipt,
} from './verify.js';

const { checkpoints, leaves, liabilities, receipts, trees } = PROOF_VECTORS;
const { verifierKey: keys } = checkpoints;

describe('canonical JSON', () => {
  it.each(PROOF_VECTORS.jcs.refused.map((text) => ({ text })))('refuses the text $text', ({ text }) => {
    expect(() => parseCanonicalJson(text)).toThrow(ProofError);
  });

  it.each(PROOF_VECTORS.jcs.cases)('writes $input as RFC 8785 requires', ({ input, output }) => {
    expect(canonicalJson(JSON.parse(input) as never)).toBe(output);
    expect(canonicalJson(parseCanonicalJson(output))).toBe(output);
  });
});

/** Copies of `value` that have a value of another type in one place, at any depth. */
function* withOneTypeChanged(value: unknown): Iterable<never> {
  for (const replacement of [undefined, null, 7, 'x', [], {}])
    if (typeof replacement !== typeof value || Array.isArray(replacement) !== Array.isArray(value))
      yield replacement as never;
  if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value))
      for (const changed of withOneTypeChanged(member))
        yield Object.assign(Array.isArray(value) ? [...value] : { ...value }, { [name]: changed }) as never;
}

describe('A value of the wrong shape', () => {
  const { from, to, path } = trees.consistency.find(({ path: hashes }) => hashes.length > 3)!;
  const { published, proof: liability } = liabilities.five;
  const included = trees.inclusion.find(({ treeSize }) => treeSize === 13)!;
  const leaf = leaves.list[included.leafIndex]!.text;
  const { payload, signature } = receipts.cases[0]!;
  const jwk = receipts.jwk as { kty: string };
  const logged = { ...published, leafIndex: 0, checkpoint: vectorCheckpoint(13) };

  it.each<[name: string, valid: unknown, verify: (changed: never) => Promise<unknown>]>([
    ['checkpoint', vectorCheckpoint(13), (changed) => verifyCheckpoint(changed, keys)],
    ['list of keys', keys, (changed) => verifyCheckpoint(vectorCheckpoint(13), changed)],
    [
      'proof of inclusion',
      { leaf, ...included, checkpoint: vectorCheckpoint(13) },
      (changed) => verifyInclusion(changed, keys),
    ],
    [
      'path',
      path,
      (changed) => verifyConsistency(vectorCheckpoint(from), vectorCheckpoint(to), changed, keys),
    ],
    [
      'published total',
      logged,
      (changed) => verifyPublishedLiabilities(changed, keys, async () => undefined),
    ],
    ['proof of liabilities', liability, (changed) => verifyLiability(changed, published, liability.userId)],
    ['published tree', published, (changed) => verifyLiability(liability, changed, liability.userId)],
    ['receipt', { payload, signature }, (changed) => verifyReceipt(changed, { keys: [jwk] })],
    [
      'key set',
      { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'AA' }] },
      (changed) => verifyReceipt({ payload, signature }, changed),
    ],
  ])('is refused as a %s', async (_, valid, verify) => {
    for (const changed of withOneTypeChanged(valid))
      await expect(verify(changed)).rejects.toBeInstanceOf(ProofError);
  });
});
