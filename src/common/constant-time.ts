import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares secrets of any length: their digests are compared in constant time. */
export function isSameText(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
