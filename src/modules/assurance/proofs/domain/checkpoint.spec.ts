import {
  bytesOf,
  PROOF_VECTORS,
  textsWithOneBitFlipped,
} from '../../../../../test/fixtures/proof-vectors.js';
import { NoteVerifier, openCheckpoint, openNote, signCheckpoint, signNote } from './checkpoint.js';
import { SigningKey } from './signing-key.js';

const { seed, publicKey, origin, keyId, verifierKey, list: vectors, rotation } = PROOF_VECTORS.checkpoints;
const key = new SigningKey(bytesOf(seed));
const newKey = new SigningKey(bytesOf(rotation.seed));
const verifier = new NoteVerifier(origin, key.publicKey);
const newVerifier = new NoteVerifier(origin, newKey.publicKey);
const { size: leaves, root, checkpoint } = vectors[2]!;
const SHORT_ROOT = Buffer.alloc(29).toString('base64'); // padded like a root of 32 bytes

describe('Checkpoints', () => {
  it.each(vectors)('of $size leaves have the bytes of the test vector', (vector) => {
    const content = { origin, size: vector.size, root: bytesOf(vector.root) };
    expect(signCheckpoint(content, [key])).toBe(vector.checkpoint);
    expect(openCheckpoint(vector.checkpoint, [verifier])).toEqual(content);
  });

  it('can be signed with two keys while one replaces the other, and open with the verifier of either key', () => {
    const signed = signCheckpoint({ origin, size: leaves, root: bytesOf(root) }, [newKey, key]);
    expect(signed).toBe(rotation.checkpoint);
    for (const verifiers of [[verifier], [newVerifier], [verifier, newVerifier]])
      expect(openCheckpoint(signed, verifiers)).toMatchObject({ size: leaves });
  });

  it('do not open after a change of any bit', () => {
    for (const changed of textsWithOneBitFlipped(checkpoint))
      expect(openCheckpoint(changed, [verifier])).toBeUndefined();
  });

  it('do not open if one of two verifiers finds its signature invalid, although the other signature is valid', () => {
    const [text, lines] = rotation.checkpoint.split('\n\n') as [string, string];
    const [first, second] = lines.split('\n') as [string, string];
    // Changes one character within the base64 of the second signature.
    const invalid = second.slice(0, -9) + (second.at(-9) === 'A' ? 'B' : 'A') + second.slice(-8);
    const note = `${text}\n\n${first}\n${invalid}\n`;
    expect(openCheckpoint(note, [verifier, newVerifier])).toBeUndefined();
    expect(openCheckpoint(note, [newVerifier])).toBeDefined();
  });

  it('open with additional signatures of unknown keys, such as those of witnesses', () => {
    const witness = `— witness.example ${Buffer.alloc(68, 7).toString('base64')}\n`;
    expect(openCheckpoint(checkpoint + witness, [verifier])).toMatchObject({ size: leaves });
  });

  it.each([
    ['without a signature', `${checkpoint.split('— ')[0]}`],
    ['with the verifier of another key', checkpoint, newVerifier],
    ['with an extension line', signNote(`${checkpoint.split('\n\n')[0]}\nmore\n`, origin, [key])],
    ['with a size that begins with zero', signNote(`${origin}\n020\n${root}\n`, origin, [key])],
    [
      'with a size above the largest safe integer',
      signNote(`${origin}\n9007199254740992\n${root}\n`, origin, [key]),
    ],
    ['with a root of 29 bytes', signNote(`${origin}\n20\n${SHORT_ROOT}\n`, origin, [key])],
    ['with an origin that is not the name of its key', signNote(`other\n20\n${root}\n`, origin, [key])],
    ['without the last newline', checkpoint.slice(0, -1)],
    ['with 17 signatures', checkpoint + checkpoint.split('\n\n')[1]!.repeat(16)],
  ])('do not open %s', (_, note, checkedWith = verifier) => {
    expect(openCheckpoint(note, [checkedWith])).toBeUndefined();
  });
});

describe('NoteVerifier', () => {
  it('has the public key, the key id and the verifier key of the test vectors', () => {
    expect(key.publicKey.bytes).toEqual(bytesOf(publicKey));
    expect(verifier.toString()).toBe(verifierKey);
    expect(verifier.keyId.toString('hex')).toBe(keyId);
    expect(newVerifier.toString()).toBe(rotation.verifierKey);
    expect(newVerifier.keyId.toString('hex')).toBe(rotation.keyId);
  });
});

describe('openNote', () => {
  it('returns the text of a signed note of several paragraphs', () => {
    const text = 'one\n\ntwo\n';
    expect(openNote(signNote(text, origin, [key]), [verifier])).toBe(text);
  });
});
