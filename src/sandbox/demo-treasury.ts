import { Money } from '../common/money.js';
import { control, type Person } from './demo-client.js';
import type { Admins } from './demo-operations.js';
import { requireEqual, requireThat, printStep, printDetail } from './demo-output.js';

const TRANSACTIONS = '/api/admin/transactions';
const REQUESTS = '/api/admin/transaction-requests';

interface Transfer {
  id: string;
  amount: string;
  byAdmins: { purpose: string; network: string; strategyId: string | null; createdBy: string };
}

interface TreasuryRun {
  strategies: { strategyId: string; invested: string; returned: string; net: string }[];
  transactions: Transfer[];
}

interface TransactionRequest {
  id: string;
  type: string;
  amount: string;
  network: string;
  from: string;
  to: string;
  toAddress: string | null;
  status: string;
  chainCheck: string | null;
}

/** Admins plan transfers between the deposit provider and custody, approve them, carry them out on chain and complete them. */
export async function demonstrateTreasury({ ada, amir }: Admins): Promise<void> {
  const run = await ada.ask<TreasuryRun>('POST', `${TRANSACTIONS}/generate`, { note: 'The morning run' });
  printStep(
    `an admin starts the treasury run: it plans ${run.transactions.length} transfers, computed from what users invested and closed`,
  );
  for (const flow of run.strategies) requirePlanned(flow, run.transactions);

  const waiting = await findWaitingTransfers(ada);
  requireThat(
    run.transactions.every(({ id }) => waiting.some((transfer) => transfer.id === id)),
    'a transfer of the run does not wait for approval',
  );
  for (const { id, byAdmins } of waiting) {
    // Amir's account is admin2. He may have started an earlier run.
    const [requester, approver] = byAdmins.createdBy === 'admin2@example.com' ? [amir, ada] : [ada, amir];
    await requester.requireRefusal('FOUR_EYES_REQUIRED', 'POST', `${TRANSACTIONS}/${id}/approve`);
    await approver.ask('POST', `${TRANSACTIONS}/${id}/approve`);
  }
  await ada.ask('POST', `${TRANSACTIONS}/execute`, {});
  printStep('another admin approves each, and they are handed out to be carried out at the providers:');

  for (const request of await findRequestsOnChain(ada)) await carryOutTransfer(ada, request);
  requireEqual((await findRequestsOnChain(ada)).length, 0, 'the number of requests that remain');
}

/** Throws unless the run has planned a strategy's transfer, computed here as invested minus returned money. */
function requirePlanned(flow: TreasuryRun['strategies'][number], transfers: Transfer[]): void {
  const { strategyId, invested, returned } = flow;
  const net = Money.of(invested).minus(Money.of(returned));
  requireEqual(flow.net, net.toWire(), `the net of ${strategyId}`);
  printDetail(`${strategyId}: ${invested} invested − ${returned} returned = ${flow.net} USDC`);
  if (net.isZero()) return;
  const transfer = transfers.find(({ byAdmins }) => byAdmins.strategyId === strategyId);
  requireEqual(
    `${transfer?.byAdmins.purpose} ${transfer?.amount}`,
    net.isPositive() ? `allocate ${net.toWire()}` : `deallocate ${net.negated().toWire()}`,
    `the transfer of ${strategyId}`,
  );
}

/** The transfers of this run and of earlier runs that have no approval. */
async function findWaitingTransfers(ada: Person): Promise<Transfer[]> {
  const { transactions } = await ada.ask<{ transactions: { id: string }[] }>(
    'GET',
    `${TRANSACTIONS}?type=transfer&status=pending&limit=100`,
  );
  const details = transactions.map(({ id }) => ada.ask<Transfer>('GET', `${TRANSACTIONS}/${id}`));
  return Promise.all(details);
}

/** Requests that the sandbox's chain can carry out. Those on other chains, which have no address, wait for an operator. */
async function findRequestsOnChain(ada: Person): Promise<TransactionRequest[]> {
  const requests = await ada.ask<TransactionRequest[]>('GET', `${REQUESTS}?status=pending&limit=100`);
  return requests.filter(({ toAddress }) => toAddress !== null);
}

async function carryOutTransfer(ada: Person, request: TransactionRequest): Promise<void> {
  const { id, type, amount, from, to, toAddress } = request;
  const { txHash } = await control<{ txHash: string }>('/chain/transfer', { to: toAddress, amount });
  const done = await ada.ask<TransactionRequest>('POST', `${REQUESTS}/${id}/complete`, { txHash });
  requireEqual(done.status, 'completed', 'the status of the request');
  requireEqual(done.chainCheck, 'matched', 'the chain check of the request');
  printDetail(
    `${type.padEnd(10)} ${amount.padStart(12)} USDC  ${from} → ${to}, ${done.chainCheck} on chain, hash ${txHash}`,
  );
}

interface IntegrityCheck {
  status: string;
  entries: number;
  laws: { name: string; status: string }[];
}

export async function demonstrateIntegrityCheck({ ada }: Admins): Promise<void> {
  const { status, entries, laws } = await ada.ask<IntegrityCheck>('GET', '/api/admin/integrity');
  const violated = laws.filter((law) => law.status !== 'holds').map(({ name }) => name);
  requireEqual(violated.join(', '), '', 'the list of violated invariants');
  requireEqual(status, 'holds', 'the result of the integrity check');
  requireThat(laws.length > 0 && entries > 0, 'the integrity check covers nothing');
  printStep(
    `all money is checked: each of ${laws.length} invariants holds over ${entries} entries of the ledger`,
  );
}

const LAST_LINES = 8;

export async function demonstrateAuditLog({ ada }: Admins): Promise<void> {
  const path = `/api/admin/audit?limit=${LAST_LINES}`;
  const log = await ada.ask<{ admin: string; action: string; subjectId: string; at: string }[]>('GET', path);
  requireEqual(log[0]?.action, 'transaction-request.complete', 'the last line of the audit log');
  requireEqual(log[0]?.admin, 'admin@example.com', 'the admin of the last line');
  printStep('the audit log contains all of this; its last lines:');
  for (const { at, admin, action, subjectId } of log.toReversed())
    printDetail(`${at}  ${admin.padEnd(20)} ${action.padEnd(28)} ${subjectId}`);
}
