import { demand } from '../encoding.js';

/** Ranges that a message names. Leaves of further ranges are only counted. */
const MAX_RANGES = 20;

/** The leaves of the log that a pack lists. One bit for each leaf, so that the memory stays small. */
export class LeafSet {
  private readonly bits: Uint8Array;

  private readonly size: number;

  constructor(size: number) {
    this.size = size;
    this.bits = new Uint8Array(Math.ceil(size / 8));
  }

  /** Throws if hashes.bin has no such leaf, or if the pack lists it twice. */
  addLeaf(index: number): void {
    demand(index < this.size, `hashes.bin has no leaf ${index}.`);
    demand(!this.hasLeaf(index), `The pack lists leaf ${index} twice.`);
    this.bits[index >>> 3] = (this.bits[index >>> 3] as number) | (1 << (index & 7));
  }

  missingLeaves(): LeafRanges {
    const missing = new LeafRanges();
    for (let index = 0; index < this.size; index++) if (!this.hasLeaf(index)) missing.addRange(index, index);
    return missing;
  }

  private hasLeaf(index: number): boolean {
    return ((this.bits[index >>> 3] as number) & (1 << (index & 7))) !== 0;
  }
}

/** Ranges of leaves, added in increasing order. `toString` names them for a message. */
export class LeafRanges {
  count = 0;
  private readonly ranges: { readonly first: number; last: number }[] = [];
  /** The number of leaves in ranges that the message does not name. */
  private unnamed = 0;
  private lastLeaf = -1;

  addRange(first: number, last: number): void {
    const range = this.ranges.at(-1);
    if (range && range.last === first - 1) range.last = last;
    else if (this.ranges.length < MAX_RANGES) this.ranges.push({ first, last });
    else this.unnamed += last - first + 1;
    this.count += last - first + 1;
    this.lastLeaf = last;
  }

  get first(): number | undefined {
    return this.ranges[0]?.first;
  }

  /** −1 without leaves. */
  get last(): number {
    return this.lastLeaf;
  }

  toString(): string {
    const named = this.ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`));
    const text = `${this.count === 1 ? 'leaf' : 'leaves'} ${named.join(', ')}`;
    return this.unnamed === 0 ? text : `${text} and ${this.unnamed} more`;
  }
}
