import { Money } from '../common/money.js';
import { control, until, type Person } from './demo-client.js';
import { requireEqual, requireThat, printStep } from './demo-output.js';

interface QueueSummary {
  totalPending: number;
  totalPendingValue: string;
  oldestPending: string | null;
}

interface BulkTake {
  taken: string[];
  failed: { code: string }[];
}

/** The admins of the story. An operator pays withdrawals; a transaction by hand needs two admins. */
export interface Admins {
  readonly operator: Person;
  readonly ada: Person;
  readonly amir: Person;
}

interface Balance {
  total: string;
  available: string;
  invested: string;
  reserved: string;
  breakdown: { deposits: string; withdrawals: string; earnings: string; fees: string };
}

export function balanceOf(user: Person): Promise<Balance> {
  return user.ask<Balance>('GET', '/api/user/balance');
}

/** Compares available and reserved money with the expected amounts. */
async function requireBalance(
  user: Person,
  expected: { available: Money; reserved: string },
  when: string,
): Promise<void> {
  const { available, reserved } = await balanceOf(user);
  requireEqual(available, expected.available.toWire(), `the available balance ${when}`);
  requireEqual(reserved, expected.reserved, `the reserved amount ${when}`);
}

const WITHDRAWALS = '/api/admin/withdrawals';
const TRANSACTIONS = '/api/admin/transactions';
const WALLET = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const INVESTMENT = '300.00';
// The amounts of the three withdrawals, named by their result.
const PAID = '120.00';
const REJECTED = '90.00';
const FAILED = '40.00';
const REQUESTED = Money.sum([PAID, REJECTED, FAILED].map((amount) => Money.of(amount)));

/** An operator takes three withdrawals: one is paid, one is rejected, and one fails at the provider and is reversed by two admins. */
export async function demonstrateQueue(user: Person, admins: Admins): Promise<void> {
  const { operator } = admins;
  const before = await readQueueSummary(operator);
  const { paid, rejected, failed, available } = await requestWithdrawals(user);
  await control('/clock/advance', { days: 1 });
  await requireGrownQueue(operator, before);

  const ids = [paid, rejected, failed];
  const bulkTake = () => operator.ask<BulkTake>('POST', `${WITHDRAWALS}/bulk-take`, { ids });
  requireEqual((await bulkTake()).taken.join(), ids.join(), 'the list of taken withdrawals');
  const codes = (await bulkTake()).failed.map(({ code }) => code).join();
  requireEqual(codes, 'INVALID_STATE,INVALID_STATE,INVALID_STATE', 'the answer to taking them once more');
  printStep('takes all three at once; a second attempt is refused for each of them: INVALID_STATE');

  await payWithdrawal(operator, paid, rejected);
  await requireBalance(user, { available, reserved: '130.00' }, 'after the payment'); // 90.00 + 40.00
  await rejectWithdrawal(operator, rejected);
  const afterRejection = available.plus(Money.of(REJECTED));
  await requireBalance(user, { available: afterRejection, reserved: FAILED }, 'after the rejection');
  printStep(
    `rejects the one of ${REJECTED} USDC with a reason; the user has ${afterRejection.toWire()} USDC available again`,
  );
  await failWithdrawal(operator, failed);
  await requireBalance(user, { available: afterRejection, reserved: FAILED }, 'after the failure');
  printStep(
    `the one of ${FAILED} USDC fails at the provider; the amount stays reserved until an admin reverses it`,
  );
  await reverseWithdrawal(admins, failed);
  const afterAll = afterRejection.plus(Money.of(FAILED));
  await requireBalance(user, { available: afterAll, reserved: '0.00' }, 'after the reversal');
  printStep(
    `one admin asks for its reversal, another approves it: nothing is reserved, ${afterAll.toWire()} USDC are available`,
  );
}

interface RequestedWithdrawals {
  readonly paid: string;
  readonly rejected: string;
  readonly failed: string;
  /** The balance that remains available. */
  readonly available: Money;
}

/** Requests three withdrawals and returns their ids by the result that they will have. */
async function requestWithdrawals(user: Person): Promise<RequestedWithdrawals> {
  const start = Money.of((await balanceOf(user)).available);
  await user.ask('POST', '/api/user/investments', { strategyId: 'balanced-10', amount: INVESTMENT });
  const ask = async (amount: string) => {
    const request = { amount, currency: 'USDC', toAddress: WALLET };
    return (await user.ask<{ id: string }>('POST', '/api/user/withdrawals', request)).id;
  };
  const ids = { paid: await ask(PAID), rejected: await ask(REJECTED), failed: await ask(FAILED) };
  const available = start.minus(Money.of(INVESTMENT)).minus(REQUESTED);
  await requireBalance(user, { available, reserved: REQUESTED.toWire() }, 'after three requests');
  printStep(
    `in the evening the user invests ${INVESTMENT} USDC and asks for ${PAID}, ${REJECTED} and ${FAILED} USDC`,
  );
  return { ...ids, available };
}

async function readQueueSummary(operator: Person): Promise<QueueSummary> {
  const path = `${WITHDRAWALS}/pending?limit=1`;
  return (await operator.askWithSummary<unknown, QueueSummary>('GET', path)).summary;
}

/** Throws unless the queue has three more withdrawals than before, and its sum has grown by their amounts. */
async function requireGrownQueue(operator: Person, before: QueueSummary): Promise<void> {
  // Summaries are up to a second behind.
  const { totalPending, totalPendingValue, oldestPending } = await until('the queue', async () => {
    const summary = await readQueueSummary(operator);
    return summary.totalPending >= before.totalPending + 3 ? summary : undefined;
  });
  const value = Money.of(before.totalPendingValue).plus(REQUESTED).toWire();
  requireEqual(totalPending, before.totalPending + 3, 'the length of the queue');
  requireEqual(totalPendingValue, value, 'the sum of the queue');
  requireThat(oldestPending !== null, 'the queue is empty');
  printStep(
    `the operator finds ${totalPending} withdrawals of ${totalPendingValue} USDC waiting, the oldest since ${oldestPending}`,
  );
}

/** Pays and completes one withdrawal. The API refuses the same transaction hash for the withdrawal `otherId`. */
async function payWithdrawal(operator: Person, id: string, otherId: string): Promise<void> {
  const { txHash } = await control<{ txHash: string }>('/chain/transfer', { to: WALLET, amount: PAID });
  const path = `${WITHDRAWALS}/${id}/complete`;
  const done = await operator.ask<{ status: string; chainCheck: string }>('POST', path, { txHash });
  requireEqual(done.status, 'completed', 'the status of the paid withdrawal');
  requireEqual(done.chainCheck, 'matched', 'the check of the payment on chain');
  const code = 'DUPLICATE_TX_HASH';
  await operator.requireRefusal(code, 'POST', `${WITHDRAWALS}/${otherId}/complete`, { txHash });
  printStep(`pays ${PAID} USDC with ${txHash}: matched on chain, and refused for any other (${code})`);
}

async function rejectWithdrawal(operator: Person, id: string): Promise<void> {
  const reason = 'The address could not be verified.';
  const { note } = await operator.ask<{ note: string }>('PUT', `${WITHDRAWALS}/${id}/reject`, { reason });
  requireEqual(note, reason, 'the reason of the rejection');
}

/** Makes the deposit provider report the failure of a withdrawal, and waits until the platform has recorded it. */
async function failWithdrawal(operator: Person, id: string): Promise<void> {
  const report = { withdrawalId: id, status: 'Failed', error: 'the network refused the transfer' };
  await control('/withdrawals/report', report);
  await until('the failure to be recorded', async () => {
    const { status } = await operator.ask<{ status: string }>('GET', `${WITHDRAWALS}/${id}`);
    return status === 'failed' ? true : undefined;
  });
}

/** One admin requests the reversal, which only another admin can approve. */
async function reverseWithdrawal({ ada, amir }: Admins, withdrawalId: string): Promise<void> {
  const reversal = { type: 'reversal', amount: FAILED, currency: 'USDC', withdrawalId };
  const description = 'The transfer never left.';
  const { id } = await ada.ask<{ id: string }>('POST', TRANSACTIONS, { ...reversal, description });
  await ada.requireRefusal('FOUR_EYES_REQUIRED', 'POST', `${TRANSACTIONS}/${id}/approve`);
  await amir.ask('POST', `${TRANSACTIONS}/${id}/approve`);
  const { status } = await ada.ask<{ status: string }>('POST', `${TRANSACTIONS}/${id}/confirm`);
  requireEqual(status, 'confirmed', 'the status of the reversal');
}
