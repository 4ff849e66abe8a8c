import { demand } from '../encoding.js';
import { amountText, nextNav, partsOf } from './decimals.js';
import { dayAfter, dayIn, type DayRange, instantIn, requireMembers, textIn } from './json-members.js';
import { atLine, type PackFolder } from './pack-folder.js';

// The records beside the ledger: net asset values, and the actions of admins.

/** The value of a unit of a strategy on its first day. */
const FIRST_NAV = '1.00';

interface NavContext {
  readonly range: DayRange;
  /** The last day whose liabilities were computed, which needs the values of that day; empty if there is none. */
  readonly lastClosedDay: string;
  /** The strategies whose units the accounts have; true if a user had units before the range. */
  readonly strategies: ReadonlyMap<string, boolean>;
}

/**
 * Throws unless each net asset value follows from the one of the day before, and each strategy has values up to the last closed
 * day: from the day before the range or, if no user had its units then, from its first day.
 */
export async function verifyNavs(
  pack: PackFolder,
  { range: { from, to }, lastClosedDay, strategies }: NavContext,
): Promise<string> {
  const dayBefore = dayAfter(from, -1);
  const missing = new Set(lastClosedDay === '' ? [] : strategies.keys());
  let values = 0;
  let recomputed = 0;
  let before: { strategyId: string; day: string; nav: string } | undefined;
  const requireLastDay = (): void =>
    demand(
      !before || before.day >= lastClosedDay,
      `The values of ${before?.strategyId} end on ${before?.day}, before the last closed day ${lastClosedDay}.`,
    );
  for await (const { line, value } of pack.objects('navs.jsonl')) {
    atLine(line, () => {
      requireMembers(value, ['apy', 'day', 'nav', 'source', 'strategyId'], ['correction']);
      const strategyId = textIn(value, 'strategyId');
      const day = dayIn(value, 'day');
      const nav = textIn(value, 'nav');
      const apy = textIn(value, 'apy');
      const correction = value.correction === undefined ? undefined : textIn(value, 'correction');
      // The pack also has the value of the day before the range, from which that of the first day follows.
      demand(day >= dayBefore && day <= to, `${day} is outside the days of the pack.`);
      demand(partsOf(nav) > 0n, 'The value is not positive.');
      if (before?.strategyId === strategyId) {
        demand(day === dayAfter(before.day, 1), `The value of the day after ${before.day} is missing.`);
        const expected = nextNav(before.nav, apy, correction);
        demand(
          expected === partsOf(nav),
          `The value of the day before and the rate give ${amountText(expected)}.`,
        );
        recomputed += 1;
      } else {
        demand(!before || before.strategyId < strategyId, 'The strategies are not in their order.');
        requireLastDay();
        const isFirst = value.source === 'first' && nav === FIRST_NAV && !strategies.get(strategyId);
        demand(isFirst || day === dayBefore, `The value of ${dayBefore} is missing.`);
        missing.delete(strategyId);
      }
      before = { strategyId, day, nav };
      values += 1;
    });
  }
  requireLastDay();
  const [missingStrategy] = missing;
  demand(missingStrategy === undefined, `The values of ${missingStrategy} are missing.`);
  return `${values} net asset values, ${recomputed} of them recomputed from the day before`;
}

/** Throws unless each action of an admin has all members and a time in the range, ascending. Nothing proves its content. */
export async function verifyAudit(pack: PackFolder, { from, to }: DayRange): Promise<string> {
  let lastOrder = '';
  let count = 0;
  for await (const { line, value } of pack.objects('audit.jsonl')) {
    atLine(line, () => {
      requireMembers(value, [
        'action',
        'actor',
        'after',
        'at',
        'before',
        'id',
        'reason',
        'subjectId',
        'subjectType',
        'traceId',
      ]);
      const at = instantIn(value, 'at');
      const order = `${at} ${textIn(value, 'id')}`;
      demand(at.slice(0, 10) >= from && at.slice(0, 10) <= to, `${at} is outside the days of the pack.`);
      demand(order > lastOrder, 'The entries are not in the order of time.');
      lastOrder = order;
      count += 1;
    });
  }
  return `${count} actions of admins`;
}
