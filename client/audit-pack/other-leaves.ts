import { demand } from '../encoding.js';
import type { Findings } from './findings.js';
import { LeafRanges } from './leaf-set.js';
import type { HashFile } from './log-hashes.js';
import { type DayRange, type JsonObject, requireMembers, wholeNumberIn } from './json-members.js';
import { atLine, type PackFolder } from './pack-folder.js';

// The leaves whose contents are not in the pack. The platform states that they belong to days outside of the range; their
// hashes do not prove it. A leaf that is in no file of the pack was removed from the records.

const FILE = 'other-leaves.jsonl';

export interface PackContext {
  readonly range: DayRange;
  /** The number of leaves that were sealed before the end of the range: none of them is of a later day. */
  readonly sealedBeforeEnd: number;
  /** The number of accounts whose opening balance is not zero. */
  readonly openings: number;
}

/** The leaves before and after the range, as the platform states them. */
export class OtherLeaves {
  readonly before = new LeafRanges();
  readonly after = new LeafRanges();
  private readonly transactionsBefore = new LeafRanges();
  private lastLeaf = -1;

  /** Reads the file, and adds its leaves to those that the pack lists. */
  static async read(
    pack: PackFolder,
    context: PackContext,
    { hashes, findings }: { readonly hashes: HashFile; readonly findings: Findings },
  ): Promise<OtherLeaves> {
    const others = new OtherLeaves();
    for await (const { line, value } of pack.objects(FILE)) {
      const removed = atLine(line, () => others.addLine(value, context, hashes));
      if (removed !== undefined)
        findings.addProblem(
          FILE,
          `line ${line}: ${removed} of the log is of a transaction that was removed.`,
        );
    }
    others.requireOpeningBalances(context);
    return others;
  }

  /** True if the range starts with the log: leaf 0 is not of a day before it. Then no account has an opening balance. */
  get startsWithLog(): boolean {
    return this.before.first !== 0;
  }

  /** Returns the leaves of the line as a text if the platform states no day for them: the transactions were removed. */
  private addLine(value: JsonObject, context: PackContext, hashes: HashFile): string | undefined {
    requireMembers(value, ['days', 'first', 'kind', 'last']);
    const { days, kind } = value;
    const first = wholeNumberIn(value, 'first');
    const last = wholeNumberIn(value, 'last');
    demand(
      kind === 'transaction' || kind === 'liabilities',
      'The kind is neither transaction nor liabilities.',
    );
    demand(first > this.lastLeaf && last >= first, 'The indexes of the leaves do not increase.');
    this.lastLeaf = last;
    for (let index = first; index <= last; index++) hashes.listed.addLeaf(index);
    if (days === null) {
      const removed = new LeafRanges();
      removed.addRange(first, last);
      return removed.toString();
    }
    demand(days === 'before' || days === 'after', 'The days are neither before nor after the range.');
    const { sealedBeforeEnd, range } = context;
    demand(
      days === 'before' || first >= sealedBeforeEnd,
      `Leaf ${first} is not of a day after ${range.to}: a checkpoint of the range contains it.`,
    );
    (days === 'before' ? this.before : this.after).addRange(first, last);
    if (days === 'before' && kind === 'transaction') this.transactionsBefore.addRange(first, last);
    return undefined;
  }

  /** Throws if there are transactions before the range, but no opening balances. */
  private requireOpeningBalances({ openings, range }: PackContext): void {
    const { transactionsBefore } = this;
    demand(
      openings > 0 || transactionsBefore.count === 0,
      `It names transactions before ${range.from} (${transactionsBefore.toString()}), although no account has an opening balance. Ask for a pack that starts with the log.`,
    );
  }
}
