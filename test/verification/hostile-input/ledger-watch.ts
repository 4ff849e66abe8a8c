import type { TestPlatform } from '../../harness/platform.js';
import type { HostileRequest } from './hostile-request.js';
import type { Outcome } from './send.js';

export interface Sent {
  request: HostileRequest;
  outcome: Outcome;
}

interface Posted {
  id: string;
  type: string;
  reference: string;
}

/** The ledger at an instant: its sums, and its transactions by id. */
export interface LedgerSeen {
  state: string;
  posted: ReadonlyMap<string, Posted>;
}

export async function ledgerOf(platform: TestPlatform): Promise<LedgerSeen> {
  return platform.dataSource.transaction('REPEATABLE READ', async (snapshot) => {
    const rows: Posted[] = await snapshot.query(
      // the growth of a day is nobody's request
      `select id, type, reference_id as reference from ledger_transaction where type <> 'yield'`,
    );
    const state = JSON.stringify(await platform.ledgerState(snapshot));
    return { state, posted: new Map(rows.map((row) => [row.id, row])) };
  });
}

/** A refused request leaves the ledger as it was; whatever is posted is about something that was accepted. */
export function faultsOfLedger(
  before: LedgerSeen,
  after: LedgerSeen,
  sent: readonly Sent[],
): { faults: string[]; isUnchanged: boolean } {
  const told = sent
    .filter(({ request }) => request.operation.method !== 'GET')
    .filter(({ outcome }) => isDoneMaybe(outcome))
    .flatMap(({ request, outcome }) => [
      request.target,
      request.bytes?.toString('latin1') ?? '',
      ...outcome.answers.map(({ text }) => text),
    ]);
  const unheard = sent.filter(({ outcome }) => isOpen(outcome)).map(({ request }) => request.operation.name);
  const made = [...after.posted.values()].filter(({ id }) => !before.posted.has(id));
  const faults = made
    .filter(({ reference }) => !told.some((text) => text.includes(subjectOf(reference))))
    .filter(({ type }) => !isTaken(unheard, BEGUN_BY[type]))
    .map(({ type, reference }) => `posted, and nobody asked for it: ${type} of ${reference}`);
  const isUnchanged = made.length === 0 && before.state === after.state;
  if (made.length === 0 && !isUnchanged) faults.push('changed without a posting');
  return { faults, isUnchanged };
}

/** What a request has begun has an id that only its answer tells. */
const BEGUN_BY: Record<string, string> = {
  'withdrawal-requested': 'POST /api/user/withdrawals',
  investment: 'POST /api/user/investments',
};

/** Takes one of them away: each stands for one thing at most. */
function isTaken(names: string[], name: string | undefined): boolean {
  const place = name === undefined ? -1 : names.indexOf(name);
  if (place < 0) return false;
  names.splice(place, 1);
  return true;
}

/** The closing of a part counts the parts of its investment: `<id>:1`. */
function subjectOf(reference: string): string {
  return reference.split(':')[0] as string;
}

function isDoneMaybe(outcome: Outcome): boolean {
  return isOpen(outcome) || outcome.answers.some(({ status }) => status < 400);
}

/** A connection that broke off leaves open whether the request was done, or will be in a moment. */
export function isOpen({ answers }: Outcome): boolean {
  return answers.length === 0;
}
