const ID = /(?<![0-9a-f-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f-])/gi;
const HASH = /(?<![0-9a-z])(?:0x)?[0-9a-f]{64}(?![0-9a-z])/gi;

export interface PaymentLines {
  /** The hash of each withdrawal, in the order of the lines. */
  readonly hashes: ReadonlyMap<string, string>;
  /** The numbers of lines that are not empty and do not have one id and one hash, or another hash for an id. */
  readonly unread: readonly number[];
}

/** Reads lines with the id of a withdrawal and the hash of its payment, among any other columns, as custody providers export them. */
export function readPaymentLines(text: string): PaymentLines {
  const hashes = new Map<string, string>();
  const unread: number[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const [id, ...otherIds] = (line.match(ID) ?? []).map((match) => match.toLowerCase());
    const [hash, ...otherHashes] = line.match(HASH) ?? [];
    const isRead = id !== undefined && hash !== undefined && otherIds.length + otherHashes.length === 0;
    if (isRead && (hashes.get(id) ?? hash) === hash) hashes.set(id, hash);
    else unread.push(index + 1);
  }
  return { hashes, unread };
}
