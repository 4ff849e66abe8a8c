import { HASH_BYTES, sha256 } from './merkle-tree.js';
import type { PublicKey, SigningKey } from './signing-key.js';

// Checkpoints of C2SP tlog-checkpoint, without extension lines. A checkpoint is a C2SP signed-note with Ed25519: a text, an
// empty line, and one line for each signature. The first line of the text, the origin, is also the name of the keys.

export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
}

const CHECKPOINT_TEXT = /^([^\s+]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]+=)\n$/u;
const ED25519 = Buffer.of(0x01);
const KEY_ID_BYTES = 4;
const SIGNATURE_LINE = /^— ([^\s+]+) ([A-Za-z0-9+/]+=*)$/u;
/** A note with more signatures is refused. */
const MAX_SIGNATURES = 16;
/** A longer note is refused. Checkpoints of this log have less than 1 kB. */
const MAX_NOTE_CHARACTERS = 16_384;
/** Control characters except the newline, and text that was not valid UTF-8. */
const FORBIDDEN = /(?!\n)\p{Cc}|\p{Surrogate}|\ufffd/u;

/** A public key with the name that its signatures carry. */
export class NoteVerifier {
  readonly keyId: Buffer;

  constructor(
    readonly name: string,
    readonly publicKey: PublicKey,
  ) {
    this.keyId = keyIdOf(name, publicKey);
  }

  /** The verifier key of C2SP signed-note: `name+id+key`. */
  toString(): string {
    const key = Buffer.concat([ED25519, this.publicKey.bytes]).toString('base64');
    return `${this.name}+${this.keyId.toString('hex')}+${key}`;
  }
}

/** One verifier key on each line. */
export function verifierLines(verifiers: readonly NoteVerifier[]): string {
  return verifiers.map((verifier) => `${verifier.toString()}\n`).join('');
}

export function signCheckpoint({ origin, size, root }: Checkpoint, keys: readonly SigningKey[]): string {
  return signNote(`${origin}\n${size}\n${root.toString('base64')}\n`, origin, keys);
}

/** Undefined unless `note` is a checkpoint that the key of one of the verifiers has signed under the name of its origin. */
export function openCheckpoint(note: string, verifiers: readonly NoteVerifier[]): Checkpoint | undefined {
  const textBeforeSignatures = note.slice(0, note.lastIndexOf('\n\n') + 1);
  const [, origin, size, encodedRoot] = CHECKPOINT_TEXT.exec(textBeforeSignatures) ?? [];
  const root = parseBase64(encodedRoot, HASH_BYTES);
  if (origin === undefined || !root || !Number.isSafeInteger(Number(size))) return undefined;
  const verifiersOfOrigin = verifiers.filter(({ name }) => name === origin);
  const isSigned = openNote(note, verifiersOfOrigin) !== undefined;
  return isSigned ? { origin, size: Number(size), root } : undefined;
}

/** `text` ends with a newline. The signatures have the order of the keys. */
export function signNote(text: string, name: string, keys: readonly SigningKey[]): string {
  const lines = keys.map((key) => {
    const signature = Buffer.concat([keyIdOf(name, key.publicKey), key.sign(Buffer.from(text))]);
    return `— ${name} ${signature.toString('base64')}\n`;
  });
  return `${text}\n${lines.join('')}`;
}

/**
 * Returns the signed text if the key of at least one verifier has signed it. Ignores signatures of other keys, since witnesses
 * may add theirs. Returns undefined if a signature with the name and the key id of one of the verifiers is invalid.
 */
export function openNote(note: string, verifiers: readonly NoteVerifier[]): string | undefined {
  const parts = splitNote(note);
  if (!parts) return undefined;
  let validSignatures = 0;
  for (const { name, keyId, signature } of parts.signatures) {
    const verifier = verifiers.find((candidate) => candidate.name === name && candidate.keyId.equals(keyId));
    if (!verifier) continue;
    if (!verifier.publicKey.hasSigned(Buffer.from(parts.text), signature)) return undefined;
    validSignatures += 1;
  }
  return validSignatures > 0 ? parts.text : undefined;
}

interface NoteParts {
  readonly text: string;
  readonly signatures: readonly {
    readonly name: string;
    readonly keyId: Buffer;
    readonly signature: Buffer;
  }[];
}

function splitNote(note: string): NoteParts | undefined {
  if (note.length > MAX_NOTE_CHARACTERS || FORBIDDEN.test(note)) return undefined;
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n')) return undefined;
  const lines = note.slice(end + 2, -1).split('\n');
  if (lines.length > MAX_SIGNATURES) return undefined;
  const signatures = [];
  for (const line of lines) {
    const [, name, encoded] = SIGNATURE_LINE.exec(line) ?? [];
    const bytes = parseBase64(encoded);
    if (name === undefined || !bytes || bytes.length <= KEY_ID_BYTES) return undefined;
    signatures.push({
      name,
      keyId: bytes.subarray(0, KEY_ID_BYTES),
      signature: bytes.subarray(KEY_ID_BYTES),
    });
  }
  return { text: note.slice(0, end + 1), signatures };
}

function keyIdOf(name: string, { bytes }: PublicKey): Buffer {
  return sha256(Buffer.from(`${name}\n`), ED25519, bytes).subarray(0, KEY_ID_BYTES);
}

/** Strict: each value has exactly one text, so that a changed character never decodes to the same bytes. */
function parseBase64(text: string | undefined, length?: number): Buffer | undefined {
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) return undefined;
  return length === undefined || bytes.length === length ? bytes : undefined;
}
