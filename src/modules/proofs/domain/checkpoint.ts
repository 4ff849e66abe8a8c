import { parseBase64 } from './base64.js';
import { HASH_BYTES } from './merkle-hash.js';
import { type NoteVerifier, openNote, signNote } from './signed-note.js';
import type { SigningKey } from './signing-key.js';

// C2SP tlog-checkpoint without extension lines. The origin is also the name of the keys.

export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
}

const TEXT = /^([^\s+]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]+=)\n$/u;

export function signCheckpoint({ origin, size, root }: Checkpoint, keys: readonly SigningKey[]): string {
  return signNote(`${origin}\n${size}\n${root.toString('base64')}\n`, origin, keys);
}

/** Undefined unless one of the verifiers has signed the checkpoint under the name of its origin. */
export function openCheckpoint(note: string, verifiers: readonly NoteVerifier[]): Checkpoint | undefined {
  const [, origin, size] = TEXT.exec(note.slice(0, note.lastIndexOf('\n\n') + 1)) ?? [];
  const text = openNote(
    note,
    verifiers.filter(({ name }) => name === origin),
  );
  const root = parseBase64(text?.split('\n')[2], HASH_BYTES);
  if (origin === undefined || !root || !Number.isSafeInteger(Number(size))) return undefined;
  return { origin, size: Number(size), root };
}
