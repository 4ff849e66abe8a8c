import { parseBase64 } from './base64.js';
import { sha256 } from './merkle-hash.js';
import type { PublicKey, SigningKey } from './signing-key.js';

// C2SP signed-note with Ed25519: a text, an empty line, and one line for each signature.

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

  toString(): string {
    const key = Buffer.concat([ED25519, this.publicKey.bytes]).toString('base64');
    return `${this.name}+${this.keyId.toString('hex')}+${key}`;
  }
}

/** True for names that a signature line can carry. */
export function isKeyName(name: string): boolean {
  return /^[^\s+]+$/u.test(name) && !FORBIDDEN.test(name);
}

/** `text` ends with a newline. The signatures stand in the order of the keys. */
export function signNote(text: string, name: string, keys: readonly SigningKey[]): string {
  const lines = keys.map((key) => {
    const signature = Buffer.concat([keyIdOf(name, key.publicKey), key.sign(Buffer.from(text))]);
    return `— ${name} ${signature.toString('base64')}\n`;
  });
  return `${text}\n${lines.join('')}`;
}

/**
 * The signed text, if at least one of the verifiers has signed it. Signatures of other keys are ignored, since witnesses may
 * add theirs; a wrong signature of a given verifier invalidates the note.
 */
export function openNote(note: string, verifiers: readonly NoteVerifier[]): string | undefined {
  const parts = splitNote(note);
  if (!parts) return undefined;
  let signed = 0;
  for (const { name, keyId, signature } of parts.signatures) {
    const verifier = verifiers.find((one) => one.name === name && one.keyId.equals(keyId));
    if (!verifier) continue;
    if (!verifier.publicKey.hasSigned(Buffer.from(parts.text), signature)) return undefined;
    signed += 1;
  }
  return signed > 0 ? parts.text : undefined;
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
