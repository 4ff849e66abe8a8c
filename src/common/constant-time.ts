import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares secrets in constant time: by their digests, since `timingSafeEqual` requires equal lengths. */
export function isSameText(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
