import { demand } from '../encoding.js';
import { amountText, partsOf, SCALE } from './decimals.js';
import type { HashFile } from './log-hashes.js';
import {
  dayAfter,
  dayIn,
  type DayRange,
  type JsonObject,
  requireMembers,
  textIn,
  wholeNumberIn,
} from './json-members.js';
import { atLine, type PackFolder } from './pack-folder.js';
import { leafTextIn } from './transactions.js';

// The closed days: the totals owed to users, which are leaves of the log, and the assets with the places where they were held.

/** How the platform knows an amount: it reads a chain, a provider states it, or its own ledger has it. */
const SOURCES = ['chain', 'statement', 'books'];
/** In the order in which the lines of liabilities.jsonl and the totals of assets.jsonl of a day are sorted. */
const ASSETS = ['USDC', 'USDT', 'ETH'];
const COVERAGE_SCALE = 6;

/** A leaf of the log: the amount that was owed to users in an asset at the end of a day, in parts of 10^-24. */
interface Total {
  readonly leafIndex: number;
  readonly day: string;
  readonly asset: string;
  readonly amount: bigint;
}

/** Reads a line `{leaf, leafIndex}`. Throws unless the log has the leaf and it is a total. */
export function totalIn(text: string, value: JsonObject, hashes: HashFile): Total {
  requireMembers(value, ['leaf', 'leafIndex']);
  const leafIndex = wholeNumberIn(value, 'leafIndex');
  hashes.requireLeaf(leafTextIn(text, leafIndex), leafIndex);
  const leaf = value.leaf as JsonObject;
  requireMembers(leaf, ['asset', 'day', 'kind', 'leaves', 'root', 'total', 'v']);
  demand(leaf.kind === 'liabilities' && leaf.v === 1, 'The leaf is not a total of liabilities.');
  const amount = partsOf(leaf.total);
  demand(amount >= 0n, 'The total is negative.');
  return { leafIndex, day: dayIn(leaf, 'day'), asset: textIn(leaf, 'asset'), amount };
}

/** The totals of consecutive days by asset. */
export class ClosedDays {
  /** The number of totals, each of which is a leaf. */
  leaves = 0;
  readonly totals = new Map<string, Map<string, bigint>>();
  /** The leaf of the first total; Infinity if there is no day. */
  firstLeaf = Infinity;
  /** The leaf of the first total of the last day; Infinity if there is no day. */
  firstLeafOfLastDay = Infinity;
  private last: Omit<Total, 'amount'> = { leafIndex: -1, day: '', asset: '' };

  /** Throws unless each line is a leaf of the log, the days are consecutive and of the pack, and each has a total in USDC. */
  static async read(pack: PackFolder, { from, to }: DayRange, hashes: HashFile): Promise<ClosedDays> {
    const days = new ClosedDays();
    for await (const { line, text, value } of pack.objects('liabilities.jsonl')) {
      atLine(line, () => {
        const total = totalIn(text, value, hashes);
        demand(total.day >= from && total.day <= to, `${total.day} is outside the days of the pack.`);
        days.addTotal(total);
      });
    }
    return days;
  }

  /** Undefined if there is no day. */
  get firstDay(): string | undefined {
    return this.totals.keys().next().value;
  }

  /** Empty if there is no day. */
  get lastDay(): string {
    return this.last.day;
  }

  /** Throws unless the total is the next one: of the same day and a later asset, or in USDC of the next day. */
  addTotal(total: Total): void {
    const { last } = this;
    const { day, asset, leafIndex } = total;
    demand(leafIndex > last.leafIndex, 'The indexes of the leaves do not increase.');
    demand(!this.totals.get(day)?.has(asset), `The log has two totals of ${day} in ${asset}.`);
    if (day === last.day)
      demand(
        ASSETS.indexOf(asset) > ASSETS.indexOf(last.asset),
        'The assets of a day are not in the order USDC, USDT, ETH.',
      );
    else {
      demand(last.day === '' || day === dayAfter(last.day, 1), `The day after ${last.day} is missing.`);
      demand(asset === 'USDC', `The total of ${day} in USDC is missing.`);
      this.totals.set(day, new Map());
      this.firstLeaf = Math.min(this.firstLeaf, leafIndex);
      this.firstLeafOfLastDay = leafIndex;
    }
    this.totals.get(day)?.set(asset, total.amount);
    this.last = total;
    this.leaves += 1;
  }
}

/** Throws unless the days of the groups are consecutive: the log has a total of every day from the first one on. */
export function requireConsecutive(...groups: readonly ClosedDays[]): void {
  let last = '';
  for (const { firstDay, lastDay } of groups) {
    if (firstDay === undefined) continue;
    demand(
      last === '' || firstDay === dayAfter(last, 1),
      `The totals of the days after ${last} are missing.`,
    );
    last = lastDay;
  }
}

/** Verifies the assets of each closed day. The platform states their amounts; sums, liabilities and coverage are recomputed. */
export async function verifyAssets(pack: PackFolder, { totals }: ClosedDays): Promise<string> {
  const days = [...totals.keys()];
  let count = 0;
  for await (const { line, value } of pack.objects('assets.jsonl')) {
    atLine(line, () => {
      requireMembers(value, ['day', 'lines', 'totals']);
      const day = dayIn(value, 'day');
      const owed = totals.get(day);
      demand(owed && day === days[count], `${day} is not the next closed day of liabilities.jsonl.`);
      count += 1;
      requireTotals(objectsIn(value, 'totals'), assetsIn(objectsIn(value, 'lines')), owed);
    });
  }
  demand(count === days.length, `The assets of ${days[count]} are missing.`);
  return `the assets of ${count} days, as the platform states them, with their coverage of the liabilities`;
}

/** The sums of the lines of assets, by asset. */
function assetsIn(lines: readonly JsonObject[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const line of lines) {
    requireMembers(line, ['amount', 'asset', 'place', 'source'], ['address', 'block']);
    textIn(line, 'place');
    const [asset, source] = [textIn(line, 'asset'), textIn(line, 'source')];
    demand(ASSETS.includes(asset), `${asset} is not an asset of users.`);
    demand(SOURCES.includes(source), `${source} is not a source.`);
    if (source === 'chain') {
      textIn(line, 'address');
      wholeNumberIn(line, 'block');
    }
    sums.set(asset, (sums.get(asset) ?? 0n) + partsOf(line.amount));
  }
  return sums;
}

/** Throws unless the stated totals are the sums `held`, the liabilities `owed`, and their coverage. */
function requireTotals(
  stated: readonly JsonObject[],
  held: ReadonlyMap<string, bigint>,
  owed: ReadonlyMap<string, bigint>,
): void {
  const expected = ASSETS.filter((asset) => held.has(asset) || owed.has(asset));
  const statedAssets = stated.map((total) => textIn(total, 'asset'));
  demand(
    statedAssets.join() === expected.join(),
    `The totals are those of ${statedAssets.join()}, not ${expected.join()}.`,
  );
  for (const total of stated) {
    requireMembers(total, ['asset', 'assets', 'coverage', 'liabilities']);
    const asset = textIn(total, 'asset');
    const [assets, liabilities] = [held.get(asset) ?? 0n, owed.get(asset) ?? 0n];
    demand(partsOf(total.assets) === assets, `The lines in ${asset} sum to ${amountText(assets)}.`);
    demand(
      partsOf(total.liabilities) === liabilities,
      `The log has liabilities of ${amountText(liabilities)} in ${asset}.`,
    );
    const coverage = coverageOf(assets, liabilities);
    const isRight = coverage === null ? total.coverage === null : partsOf(total.coverage) === coverage;
    demand(isRight, `The coverage in ${asset} is ${coverage === null ? 'null' : amountText(coverage)}.`);
  }
}

/** Assets divided by liabilities, rounded down at six decimals, in parts of 10^-24; null if nothing is owed. */
function coverageOf(assets: bigint, liabilities: bigint): bigint | null {
  if (liabilities === 0n) return null;
  const scaled = assets * 10n ** BigInt(COVERAGE_SCALE);
  const floor = scaled / liabilities - (scaled < 0n && scaled % liabilities !== 0n ? 1n : 0n);
  return floor * 10n ** BigInt(SCALE - COVERAGE_SCALE);
}

function objectsIn(value: JsonObject, member: string): readonly JsonObject[] {
  const list = value[member];
  const isList = Array.isArray(list) && list.every((item) => item !== null && typeof item === 'object');
  demand(isList, `${member} is not a list of objects.`);
  return list as readonly JsonObject[];
}
