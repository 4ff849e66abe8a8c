import { demand } from '../encoding.js';

/** Ranges that a message names. Leaves of further ranges are only counted. */
const MAX_RANGES = 20;

/** The leaves of the log that a pack lists. One bit for each leaf, so that the memory stays small. */
export class LeafSet {
  private readonly bits: Uint8Array;

  constructor(private readonly size: number) {
    this.bits = new Uint8Array(Math.ceil(size / 8));
  }

  /** Throws if the pack lists a leaf twice. */
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

/** Leaves in increasing order, as a message names them. */
export class LeafRanges {
  count = 0;
  private readonly ranges: { readonly first: number; last: number }[] = [];
  private more = 0;
  private last = -1;

  addRange(first: number, last: number): void {
    const range = this.ranges.at(-1);
    // `range` is not the range that was added last once further ranges are only counted.
    if (range && first === this.last + 1 && range.last === this.last) range.last = last;
    else if (this.ranges.length < MAX_RANGES) this.ranges.push({ first, last });
    else this.more += last - first + 1;
    this.count += last - first + 1;
    this.last = last;
  }

  get first(): number | undefined {
    return this.ranges[0]?.first;
  }

  toString(): string {
    const named = this.ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`));
    const text = `${this.count === 1 ? 'leaf' : 'leaves'} ${named.join(', ')}`;
    return this.more === 0 ? text : `${text} and ${this.more} more`;
  }
}
