import { demand } from '../encoding.js';
import { ClosedDays, requireConsecutive, totalIn } from './closed-days.js';
import type { Findings } from './findings.js';
import { LeafRanges } from './leaf-set.js';
import type { HashFile } from './log-hashes.js';
import { dayAfter, type DayRange, type JsonObject, requireMembers, wholeNumberIn } from './json-members.js';
import { atLine, type PackFolder } from './pack-folder.js';

// The leaves outside of the range. Totals of liabilities contain no secret and are in the pack with their texts, so that no two of
// them are of the same day and asset. The platform states that all other leaves are transactions of days outside of the
// range; their hashes do not prove it. A leaf that is in no file of the pack was removed from the records.

const FILE = 'other-leaves.jsonl';

export interface PackContext {
  readonly range: DayRange;
  /** The number of leaves that were sealed before the end of the range: none of them is of a later day. */
  readonly sealedBeforeEnd: number;
  /** The number of accounts whose opening balance is not zero. */
  readonly openings: number;
  /** The lowest leaf of a transaction of the range; Infinity if there is none. */
  readonly firstLeaf: number;
  /** The totals of the range. */
  readonly days: ClosedDays;
}

/** The transactions before and after the range, as the platform states them, and the totals of other days. */
export class OtherLeaves {
  readonly before = new LeafRanges();
  readonly after = new LeafRanges();
  private readonly totalsBefore = new ClosedDays();
  private readonly totalsAfter = new ClosedDays();
  private lastLeaf = -1;

  /** Reads the file, and adds its leaves to those that the pack lists. */
  static async read(
    pack: PackFolder,
    context: PackContext,
    { hashes, findings }: { readonly hashes: HashFile; readonly findings: Findings },
  ): Promise<OtherLeaves> {
    const others = new OtherLeaves();
    for await (const { line, text, value } of pack.objects(FILE)) {
      const removed = atLine(line, () =>
        'leaf' in value
          ? others.addTotal(text, value, context.range, hashes)
          : others.addTransactions(value, context, hashes),
      );
      if (removed !== undefined)
        findings.addProblem(
          FILE,
          `line ${line}: ${removed} of the log is of a transaction that was removed.`,
        );
    }
    others.requireOpeningBalances(context);
    requireConsecutive(others.totalsBefore, context.days, others.totalsAfter);
    others.requireSealedBefore(context);
    return others;
  }

  /** The number of totals. */
  get totals(): number {
    return this.totalsBefore.leaves + this.totalsAfter.leaves;
  }

  private addTotal(text: string, value: JsonObject, { from, to }: DayRange, hashes: HashFile): undefined {
    const total = totalIn(text, value, hashes);
    const { day, asset, leafIndex } = total;
    this.advanceTo(leafIndex, leafIndex);
    demand(
      day < from || day > to,
      `liabilities.jsonl does not have this total of ${day} in ${asset}, although the day is one of the pack.`,
    );
    (day < from ? this.totalsBefore : this.totalsAfter).addTotal(total);
  }

  /** Returns the leaves of the line as a text if the platform states no day for them: the transactions were removed. */
  private addTransactions(value: JsonObject, context: PackContext, hashes: HashFile): string | undefined {
    requireMembers(value, ['days', 'first', 'last']);
    const { days } = value;
    const first = wholeNumberIn(value, 'first');
    const last = wholeNumberIn(value, 'last');
    this.advanceTo(first, last);
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
    return undefined;
  }

  private advanceTo(first: number, last: number): void {
    demand(first > this.lastLeaf && last >= first, 'The indexes of the leaves do not increase.');
    this.lastLeaf = last;
  }

  /**
   * Throws for a transaction that the platform states to be of a day before the range, although the log has it behind the totals
   * of the day before the range: a day is closed when the log has all its transactions. If the log has no totals of that day, those
   * of the first closed day count.
   */
  private requireSealedBefore({ days, range: { from } }: PackContext): void {
    const { totalsBefore, before } = this;
    let end = Infinity;
    if (totalsBefore.lastDay === dayAfter(from, -1)) end = totalsBefore.firstLeafOfLastDay;
    else if (totalsBefore.leaves === 0) end = days.firstLeaf;
    demand(
      before.last < end,
      `Leaf ${before.last} is not of a day before ${from}: the totals of the day before it are leaf ${end}.`,
    );
  }

  /**
   * If the platform states transactions before the range: throws unless the first of them precedes all transactions of the
   * range in the log, and an account has an opening balance.
   */
  private requireOpeningBalances({ openings, range, firstLeaf }: PackContext): void {
    const { before } = this;
    if (before.first === undefined) return;
    const transactions = `It names transactions before ${range.from} (${before.toString()})`;
    demand(
      before.first < firstLeaf,
      `${transactions}, although the first transaction of the log is not before it.`,
    );
    demand(
      openings > 0,
      `${transactions}, although no account has an opening balance. Ask for a pack that starts with the log.`,
    );
  }
}
