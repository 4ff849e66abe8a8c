import { bytesOf, PROOF_VECTORS, textsWithOneBitFlipped } from '../../../../test/fixtures/proof-vectors.js';
import { NoteVerifier, openCheckpoint, openNote, signCheckpoint, signNote } from './checkpoint.js';
import { SigningKey } from './signing-key.js';

const { seed, publicKey, origin, keyId, verifierKey, list, rotation } = PROOF_VECTORS.checkpoints;
const key = new SigningKey(bytesOf(seed));
const newKey = new SigningKey(bytesOf(rotation.seed));
const verifier = new NoteVerifier(origin, key.publicKey);
const newVerifier = new NoteVerifier(origin, newKey.publicKey);
const [, , { checkpoint }] = list as [unknown, unknown, (typeof list)[number]];

describe('checkpoints', () => {
  it.each(list)(
    'of $size leaves have the bytes of the test vector',
    ({ size, root, checkpoint: expected }) => {
      expect(signCheckpoint({ origin, size, root: bytesOf(root) }, [key])).toBe(expected);
      expect(openCheckpoint(expected, [verifier])).toEqual({ origin, size, root: bytesOf(root) });
    },
  );

  it('carry the signatures of both keys while a key is replaced, and open with either', () => {
    const { size, root } = list[2]!;
    const signed = signCheckpoint({ origin, size, root: bytesOf(root) }, [newKey, key]);
    expect(signed).toBe(rotation.checkpoint);
    for (const verifiers of [[verifier], [newVerifier], [verifier, newVerifier]])
      expect(openCheckpoint(signed, verifiers)).toMatchObject({ size });
  });

  it('do not open after a change of any bit', () => {
    for (const changed of textsWithOneBitFlipped(checkpoint))
      expect(openCheckpoint(changed, [verifier])).toBeUndefined();
  });

  it('do not open with a wrong signature of one verifier beside a valid one of another', () => {
    const [text, lines] = rotation.checkpoint.split('\n\n') as [string, string];
    const [first, second] = lines.split('\n') as [string, string];
    const wrong = second.slice(0, -9) + (second.at(-9) === 'A' ? 'B' : 'A') + second.slice(-8);
    const note = `${text}\n\n${first}\n${wrong}\n`;
    expect(openCheckpoint(note, [verifier, newVerifier])).toBeUndefined();
    expect(openCheckpoint(note, [newVerifier])).toBeDefined();
  });

  it('open if keys without a verifier have signed them, too', () => {
    const { size } = list[2]!;
    const witness = `— witness.example ${Buffer.alloc(68, 7).toString('base64')}\n`;
    expect(openCheckpoint(checkpoint + witness, [verifier])).toMatchObject({ size });
  });

  it.each([
    ['without a signature', `${checkpoint.split('— ')[0]}`],
    ['with the verifier of another key', checkpoint, newVerifier],
    ['with an extension line', signNote(`${checkpoint.split('\n\n')[0]}\nmore\n`, origin, [key])],
    ['with a size that begins with zero', signNote(`${origin}\n020\n${list[2]!.root}\n`, origin, [key])],
    ['with a size above 2^53', signNote(`${origin}\n9007199254740992\n${list[2]!.root}\n`, origin, [key])],
    ['with a short root', signNote(`${origin}\n20\nAAAA\n`, origin, [key])],
    ['under another origin', signNote(`other\n20\n${list[2]!.root}\n`, origin, [key])],
    ['without the last newline', checkpoint.slice(0, -1)],
    ['with too many signatures', checkpoint + checkpoint.split('\n\n')[1]!.repeat(16)],
  ])('do not open %s', (_, note, checkedWith = verifier) => {
    expect(openCheckpoint(note, [checkedWith])).toBeUndefined();
  });
});

describe('NoteVerifier', () => {
  it('has the key, the id and the text of the test vectors', () => {
    expect(key.publicKey.bytes).toEqual(bytesOf(publicKey));
    expect(verifier.toString()).toBe(verifierKey);
    expect(verifier.keyId.toString('hex')).toBe(keyId);
    expect(newVerifier.toString()).toBe(rotation.verifierKey);
    expect(newVerifier.keyId.toString('hex')).toBe(rotation.keyId);
  });

  it('opens a note of several paragraphs', () => {
    const text = 'one\n\ntwo\n';
    expect(openNote(signNote(text, origin, [key]), [verifier])).toBe(text);
  });
});
