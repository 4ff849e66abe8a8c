import type { TestPlatform } from '../../harness/platform.js';
import type { HostileRequest } from './hostile-request.js';
import type { Outcome } from './sender.js';

export interface Sent {
  request: HostileRequest;
  outcome: Outcome;
}

interface Posting {
  id: string;
  type: string;
  reference: string;
}

/** Totals and transactions of the ledger at one time. */
export interface LedgerSnapshot {
  state: string;
  posted: ReadonlyMap<string, Posting>;
}

export async function readLedger(platform: TestPlatform): Promise<LedgerSnapshot> {
  return platform.dataSource.transaction('REPEATABLE READ', async (snapshot) => {
    const rows: Posting[] = await snapshot.query(
      // accruals of daily growth need no request
      `select id, type, reference_id as reference from ledger_transaction where type <> 'yield'`,
    );
    const state = JSON.stringify(await platform.ledgerState(snapshot));
    return { state, posted: new Map(rows.map((row) => [row.id, row])) };
  });
}

/** Refused requests must not change the ledger, and every posting must belong to an accepted request. */
export function ledgerErrors(
  before: LedgerSnapshot,
  after: LedgerSnapshot,
  sent: readonly Sent[],
): { faults: string[]; isUnchanged: boolean } {
  const textsOfPossibleWrites = sent
    .filter(({ request }) => request.operation.method !== 'GET')
    .filter(({ outcome }) => mayHaveSucceeded(outcome))
    .flatMap(({ request, outcome }) => [
      request.target,
      request.bytes?.toString('latin1') ?? '',
      ...outcome.answers.map(({ text }) => text),
    ]);
  const unansweredRoutes = sent
    .filter(({ outcome }) => hasUnknownOutcome(outcome))
    .map(({ request }) => request.operation.name);
  const newPostings = [...after.posted.values()].filter(({ id }) => !before.posted.has(id));
  const faults = newPostings
    .filter(({ reference }) => !textsOfPossibleWrites.some((text) => text.includes(recordIdOf(reference))))
    // An unanswered request explains one posting.
    .filter(({ type }) => !removeFirst(unansweredRoutes, ROUTE_OF_POSTING_TYPE[type]))
    .map(({ type, reference }) => `posting without a request: ${type} of ${reference}`);
  const isUnchanged = newPostings.length === 0 && before.state === after.state;
  if (newPostings.length === 0 && !isUnchanged) faults.push('the ledger changed without a posting');
  return { faults, isUnchanged };
}

/** The routes that create records, by posting type. The id of a new record is known from the response only. */
const ROUTE_OF_POSTING_TYPE: Record<string, string> = {
  'withdrawal-requested': 'POST /api/user/withdrawals',
  investment: 'POST /api/user/investments',
};

/** Removes the name once; false if it is not in the list. */
function removeFirst(names: string[], name: string | undefined): boolean {
  const index = name === undefined ? -1 : names.indexOf(name);
  if (index < 0) return false;
  names.splice(index, 1);
  return true;
}

/** The record id of a reference; partial closings append a number: `<id>:1`. */
function recordIdOf(reference: string): string {
  return reference.split(':')[0] as string;
}

function mayHaveSucceeded(outcome: Outcome): boolean {
  return hasUnknownOutcome(outcome) || outcome.answers.some(({ status }) => status < 400);
}

/** After a broken connection it is unknown whether the request was or will be carried out. */
export function hasUnknownOutcome({ answers }: Outcome): boolean {
  return answers.length === 0;
}
