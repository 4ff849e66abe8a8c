/** Explorers of some chains leave the prefix out. */
const HASH = /^(0x)?[0-9a-f]{64}$/;

/** The hash in lower case without surrounding space. Text that is not a hash keeps its letter case, which may matter. */
export function normalizeHash(entered: string): string {
  const text = entered.trim();
  return HASH.test(text.toLowerCase()) ? text.toLowerCase() : text;
}

/** Every form in which the database may hold this hash: with the prefix 0x and without it. */
export function hashForms(hash: string): string[] {
  const digits = hashDigits(hash);
  return HASH.test(hash) ? [digits, `0x${digits}`] : [hash];
}

/** The hash without its prefix. Two forms of the same hash have the same digits. */
export function hashDigits(hash: string): string {
  return HASH.test(hash) ? hash.replace(/^0x/, '') : hash;
}

/** The hash with its prefix; undefined for text that cannot be the hash of a transaction on an EVM chain. */
export function toEvmHash(hash: string): `0x${string}` | undefined {
  return HASH.test(hash) ? `0x${hashDigits(hash)}` : undefined;
}
