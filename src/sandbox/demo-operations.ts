import { Money } from '../common/money.js';
import { control, until, type Person } from './demo-client.js';
import { requireEqual, requireThat, tell } from './demo-output.js';

// Operators process the withdrawals of the night: they take, pay, reject and reverse them.

interface QueueSummary {
  totalPending: number;
  totalPendingValue: string;
  oldestPending: string | null;
}

interface BulkTake {
  taken: string[];
  failed: { code: string }[];
}

/** The admins of the story. An operator pays withdrawals; a booking by hand needs two admins. */
export interface Desk {
  readonly operator: Person;
  readonly ada: Person;
  readonly amir: Person;
}

interface Balance {
  total: string;
  available: string;
  invested: string;
  reserved: string;
  accruedEarnings: string;
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
  requireEqual(available, expected.available.toWire(), `the free balance ${when}`);
  requireEqual(reserved, expected.reserved, `the reserved amount ${when}`);
}

const WITHDRAWALS = '/api/admin/withdrawals';
const TRANSACTIONS = '/api/admin/transactions';
const WALLET = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const INVESTMENT = '300.00';
const [PAID, REJECTED, FAILED] = ['120.00', '90.00', '40.00'] as const;
const ASKED = Money.sum([PAID, REJECTED, FAILED].map((amount) => Money.of(amount)));

export async function worksOffTheQueue(user: Person, desk: Desk): Promise<void> {
  const { operator } = desk;
  const before = await queue(operator);
  const [paid, rejected, failed, free] = await asksOvernight(user);
  await control('/clock/advance', { days: 1 });
  await readsTheQueue(operator, before);

  const ids = [paid, rejected, failed];
  const bulkTake = () => operator.ask<BulkTake>('POST', `${WITHDRAWALS}/bulk-take`, { ids });
  requireEqual((await bulkTake()).taken.join(), ids.join(), 'the list of taken withdrawals');
  const codes = (await bulkTake()).failed.map(({ code }) => code).join();
  requireEqual(codes, 'INVALID_STATE,INVALID_STATE,INVALID_STATE', 'the answer to taking them once more');
  tell('takes all three at once; a second attempt is refused for each of them: INVALID_STATE');

  await pays(operator, paid, rejected);
  await requireBalance(user, { available: free, reserved: '130.00' }, 'after the payment'); // 90.00 + 40.00
  await rejects(operator, rejected);
  const afterRejection = free.plus(Money.of(REJECTED));
  await requireBalance(user, { available: afterRejection, reserved: FAILED }, 'after the rejection');
  tell(
    `rejects the one of ${REJECTED} USDC with a reason; the user has ${afterRejection.toWire()} USDC free again`,
  );
  await fails(operator, failed);
  await requireBalance(user, { available: afterRejection, reserved: FAILED }, 'after the failure');
  tell(
    `the one of ${FAILED} USDC fails at the provider; the amount stays reserved until an admin reverses it`,
  );
  await givesBack(desk, failed);
  const afterAll = afterRejection.plus(Money.of(FAILED));
  await requireBalance(user, { available: afterAll, reserved: '0.00' }, 'after the reversal');
  tell(
    `one admin asks for its reversal, another approves it: nothing is reserved, ${afterAll.toWire()} USDC are free`,
  );
}

/** The ids of three withdrawals, and the balance that remains available. */
async function asksOvernight(user: Person): Promise<[string, string, string, Money]> {
  const start = Money.of((await balanceOf(user)).available);
  await user.ask('POST', '/api/user/investments', { strategyId: 'balanced-10', amount: INVESTMENT });
  const ask = async (amount: string) => {
    const request = { amount, currency: 'USDC', toAddress: WALLET };
    return (await user.ask<{ id: string }>('POST', '/api/user/withdrawals', request)).id;
  };
  const ids = [await ask(PAID), await ask(REJECTED), await ask(FAILED)] as const;
  const free = start.minus(Money.of(INVESTMENT)).minus(ASKED);
  await requireBalance(user, { available: free, reserved: ASKED.toWire() }, 'after three requests');
  tell(
    `in the evening the user invests ${INVESTMENT} USDC and asks for ${PAID}, ${REJECTED} and ${FAILED} USDC`,
  );
  return [...ids, free];
}

async function queue(operator: Person): Promise<QueueSummary> {
  return (await operator.page<unknown, QueueSummary>('GET', `${WITHDRAWALS}/pending?limit=1`)).summary;
}

/** The queue holds three more withdrawals than before, and its sum has grown by their amounts. */
async function readsTheQueue(operator: Person, before: QueueSummary): Promise<void> {
  const { totalPending, totalPendingValue, oldestPending } = await queue(operator);
  const value = Money.of(before.totalPendingValue).plus(ASKED).toWire();
  requireEqual(totalPending, before.totalPending + 3, 'the length of the queue');
  requireEqual(totalPendingValue, value, 'the sum of the queue');
  requireThat(oldestPending !== null, 'the queue is empty');
  tell(
    `the operator finds ${totalPending} withdrawals of ${totalPendingValue} USDC waiting, the oldest since ${oldestPending}`,
  );
}

async function pays(operator: Person, id: string, other: string): Promise<void> {
  const { txHash } = await control<{ txHash: string }>('/chain/transfer', { to: WALLET, amount: PAID });
  const path = `${WITHDRAWALS}/${id}/complete`;
  const done = await operator.ask<{ status: string; chainCheck: string }>('POST', path, { txHash });
  requireEqual(done.status, 'completed', 'the status of the paid withdrawal');
  requireEqual(done.chainCheck, 'matched', 'the check of the payment on chain');
  const code = 'DUPLICATE_TX_HASH';
  await operator.requireRefusal(code, 'POST', `${WITHDRAWALS}/${other}/complete`, { txHash });
  tell(`pays ${PAID} USDC with ${txHash}: matched on chain, and refused for any other (${code})`);
}

async function rejects(operator: Person, id: string): Promise<void> {
  const reason = 'The address could not be verified.';
  const { note } = await operator.ask<{ note: string }>('PUT', `${WITHDRAWALS}/${id}/reject`, { reason });
  requireEqual(note, reason, 'the reason of the rejection');
}

async function fails(operator: Person, id: string): Promise<void> {
  const report = { withdrawalId: id, status: 'Failed', error: 'the network refused the transfer' };
  await control('/withdrawals/report', report);
  await until('the failure to be noted', async () => {
    const { status } = await operator.ask<{ status: string }>('GET', `${WITHDRAWALS}/${id}`);
    return status === 'failed' ? true : undefined;
  });
}

/** The admin who requests a booking cannot approve it. */
async function givesBack({ ada, amir }: Desk, withdrawalId: string): Promise<void> {
  const reversal = { type: 'reversal', amount: FAILED, currency: 'USDC', withdrawalId };
  const description = 'The transfer never left.';
  const { id } = await ada.ask<{ id: string }>('POST', TRANSACTIONS, { ...reversal, description });
  await ada.requireRefusal('FOUR_EYES_REQUIRED', 'POST', `${TRANSACTIONS}/${id}/approve`);
  await amir.ask('POST', `${TRANSACTIONS}/${id}/approve`);
  const { status } = await ada.ask<{ status: string }>('POST', `${TRANSACTIONS}/${id}/confirm`);
  requireEqual(status, 'confirmed', 'the status of the reversal');
}
