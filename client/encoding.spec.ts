import { leafHash } from '../src/modules/assurance/proofs/domain/merkle-tree.js';
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

  it('refuses a value that is nested more than 32 levels deep', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;
    expect(canonicalJson(parseCanonicalJson(nested(32)))).toBe(nested(32));
    expect(() => parseCanonicalJson(nested(33))).toThrow(ProofError);
  });
});

/** Yields copies of `value`, each with a value of another type in one place, at any depth. */
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
  const { kty, crv, x } = receipts.jwk as { kty: string; crv: string; x: string };
  const { size: _, ...total } = published;
  const totalLeaf = canonicalJson({ v: 1, kind: 'liabilities', ...total });
  /** In a log that has no other leaf, so that no tile is read. */
  const logged = { ...total, leafIndex: 0, checkpoint: vectorCheckpoint(1, leafHash(totalLeaf)) };

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
    ['receipt', { payload, signature }, (changed) => verifyReceipt(changed, { keys: [{ kty, crv, x }] })],
    ['key set', { keys: [{ kty, crv, x }] }, (changed) => verifyReceipt({ payload, signature }, changed)],
  ])('is refused as a %s', async (_, valid, verify) => {
    await verify(valid as never);
    for (const changed of withOneTypeChanged(valid))
      await expect(verify(changed)).rejects.toBeInstanceOf(ProofError);
  });
});
