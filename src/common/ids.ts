import { randomFillSync } from 'node:crypto';
import { v7, validate, version } from 'uuid';

const RANDOM_BYTES = 16;
/** Random bytes for 256 ids: a call of the random generator takes longer than the rest of an id. */
const pool = new Uint8Array(256 * RANDOM_BYTES);
let usedBytes = pool.length;

/** Time and sequence number of the newest id. `uuid` does not keep them itself if the caller gives it random bytes. */
let msecs = 0;
let seq = 0;

/** A new UUID v7: ids sort by time, so that index pages fill in order. */
export function newId(): string {
  const now = Date.now();
  const random = nextRandomBytes();
  if (now > msecs) {
    msecs = now;
    // `uuid` does not use these random bytes. The highest bit is 0, so that the sequence number cannot overflow 32 bits within
    // a millisecond.
    seq = new DataView(random.buffer, random.byteOffset).getUint32(6) & 0x7fffffff;
  } else seq++;
  return v7({ random, msecs, seq });
}

/** Below every other id: the place before the first row of a batch in the order of ids. */
export const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

export function isId(text: unknown): text is string {
  return typeof text === 'string' && validate(text);
}

/** The time at which a UUID v7 was made, in milliseconds since 1970; 0 for another UUID. */
export function timeOfId(id: string): number {
  return version(id) === 7 ? parseInt(id.replace('-', '').slice(0, 12), 16) : 0;
}

function nextRandomBytes(): Uint8Array {
  if (usedBytes === pool.length) {
    randomFillSync(pool);
    usedBytes = 0;
  }
  usedBytes += RANDOM_BYTES;
  return pool.subarray(usedBytes - RANDOM_BYTES, usedBytes);
}
