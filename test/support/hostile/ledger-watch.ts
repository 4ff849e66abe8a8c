import type { TestPlatform } from '../platform.js';
import type { HostileRequest } from './hostile-request.js';
import type { Outcome } from './send.js';

export interface Sent {
  request: HostileRequest;
  outcome: Outcome;
}

/** The ledger at an instant: its sums, and what each of its transactions is about, by the transaction's id. */
export interface LedgerSeen {
  state: string;
  posted: ReadonlyMap<string, string>;
}

export async function ledgerOf(platform: TestPlatform): Promise<LedgerSeen> {
  const rows: { id: string; reference: string }[] = await platform.dataSource.query(
    // the growth of a day is nobody's request
    `select id, reference_id as reference from ledger_transaction where type <> 'yield'`,
  );
  const posted = new Map(rows.map(({ id, reference }) => [id, reference]));
  return { state: JSON.stringify(await platform.ledgerState()), posted };
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
  const made = [...after.posted].filter(([id]) => !before.posted.has(id)).map(([, reference]) => reference);
  const faults = made
    .filter((reference) => !told.some((text) => text.includes(reference)))
    .map((reference) => `posted, and nobody asked for it: ${reference}`);
  const isUnchanged = made.length === 0 && before.state === after.state;
  if (made.length === 0 && !isUnchanged) faults.push('changed without a posting');
  return { faults, isUnchanged };
}

/** A connection that broke off leaves open whether the request was done. */
function isDoneMaybe({ answers }: Outcome): boolean {
  return answers.length === 0 || answers.some(({ status }) => status < 400);
}
