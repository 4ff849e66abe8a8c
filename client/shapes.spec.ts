import { signCheckpoint } from '../src/modules/proofs/domain/checkpoint.js';
import { SigningKey } from '../src/modules/proofs/domain/signing-key.js';
import { bytesOf, PROOF_VECTORS } from '../test/fixtures/proof-vectors.js';
import {
  ProofError,
  verifyCheckpoint,
  verifyConsistency,
  verifyInclusion,
  verifyLiability,
  verifyPublishedLiabilities,
  verifyReceipt,
} from './verify.js';

const { checkpoints, leaves, liabilities, receipts, trees } = PROOF_VECTORS;
const { origin, verifierKey: keys } = checkpoints;
const signingKey = new SigningKey(bytesOf(checkpoints.seed));

function checkpointOf(size: number): string {
  return signCheckpoint({ origin, size, root: bytesOf(trees.roots[size] as string) }, [signingKey]);
}

/** Copies of the value in which one value, at any depth, has another type. */
function* withOneTypeChanged(value: unknown): Iterable<never> {
  for (const other of [undefined, null, 7, 'x', [], {}])
    if (typeof other !== typeof value || Array.isArray(other) !== Array.isArray(value)) yield other as never;
  if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value))
      for (const changed of withOneTypeChanged(member))
        yield Object.assign(Array.isArray(value) ? [...value] : { ...value }, { [name]: changed }) as never;
}

describe('A proof of another shape', () => {
  const { from, to, path } = trees.consistency.find(({ path: hashes }) => hashes.length > 3)!;
  const { published, proof: liability } = liabilities.five;
  const included = trees.inclusion.find(({ treeSize }) => treeSize === 13)!;
  const leaf = leaves.list[included.leafIndex]!.text;
  const { payload, signature } = receipts.cases[0]!;
  const jwk = receipts.jwk as { kty: string };
  const logged = { ...published, leafIndex: 0, checkpoint: checkpointOf(13) };

  it.each<[name: string, valid: unknown, verify: (changed: never) => Promise<unknown>]>([
    ['checkpoint', checkpointOf(13), (changed) => verifyCheckpoint(changed, keys)],
    ['list of keys', keys, (changed) => verifyCheckpoint(checkpointOf(13), changed)],
    [
      'proof of inclusion',
      { leaf, ...included, checkpoint: checkpointOf(13) },
      (changed) => verifyInclusion(changed, keys),
    ],
    ['path', path, (changed) => verifyConsistency(checkpointOf(from), checkpointOf(to), changed, keys)],
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
  ])('is refused if it is a %s', async (_, valid, verify) => {
    for (const changed of withOneTypeChanged(valid))
      await expect(verify(changed)).rejects.toBeInstanceOf(ProofError);
  });
});
