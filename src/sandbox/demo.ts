import { Money } from '../common/money.js';
import { demonstrateWalletSignIn, demonstrateCookieSession } from './demo-access.js';
import { demonstrateBooks } from './demo-books.js';
import { callApi, control, DemoFailure, Person, until } from './demo-client.js';
import { demonstrateEventFeed } from './demo-events.js';
import { demonstrateSecondFactor } from './demo-factors.js';
import { demonstrateFourEyes } from './demo-four-eyes.js';
import { demonstrateApiKey } from './demo-keys.js';
import { LiveEvents } from './demo-live.js';
import { demonstrateMail } from './demo-mail.js';
import { balanceOf, demonstrateQueue } from './demo-operations.js';
import { demonstrateReports } from './demo-reports.js';
import { saveKeysAndCheckpoint, verifyProofs } from './demo-proofs.js';
import { auditTamperedCopy } from './demo-tampering.js';
import { requireEqual, requireThat, printStep, printChapter, printDetail } from './demo-output.js';
import { demonstrateIntegrityCheck, demonstrateAuditLog, demonstrateTreasury } from './demo-treasury.js';

// `npm run demo`: a complete story against a running sandbox, through the public API and the sandbox's control API. Only
// `auditTamperedCopy` connects to the database, which it copies.

const DEPOSIT = '1000.00';
const INVESTMENT = '600.00';
const WITHDRAWAL = '250.00';
const DAYS = 31;
const WALLET = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

interface Deposit {
  status: string;
  confirmations: number;
  requiredConfirmations: number;
}

async function demonstrateDeposit(user: Person, live: LiveEvents): Promise<void> {
  const address = await user.ask<{ address: string; minimumDeposit: string; qrCode: string }>(
    'GET',
    '/api/user/deposits/address?currency=USDC&network=ERC20',
  );
  requireThat(address.qrCode.startsWith('data:image/png;base64,'), 'the address has no QR code');
  printStep(`gets the deposit address ${address.address} (minimum ${address.minimumDeposit} USDC)`);

  const payment = { address: address.address, amount: DEPOSIT };
  const { txHash } = await control<{ txHash: string }>('/deposits', payment);
  printStep(`pays ${DEPOSIT} USDC to it, transaction ${txHash}`);
  let lastLine = '';
  await until('the deposit to be credited', async () => {
    const [deposit] = await user.ask<Deposit[]>('GET', '/api/user/deposits');
    if (!deposit) return undefined;
    const { status, confirmations, requiredConfirmations: required } = deposit;
    const line = `${status}, ${Math.min(confirmations, required)} of ${required} confirmations`;
    if (line !== lastLine) printDetail(line);
    lastLine = line;
    return status === 'completed' ? true : undefined;
  });
  const { available } = await live.first<{ available: string }>('balance.changed');
  requireEqual(available, DEPOSIT, 'the available balance in the live event');
  requireEqual((await balanceOf(user)).available, DEPOSIT, 'the available balance after the deposit');
  printStep(`receives the live event balance.changed over WebSocket: ${available} USDC are available`);
}

interface Investment {
  id: string;
  currentValue: string;
  totalEarnings: string;
  nextYieldDate: string;
}

async function demonstrateInvestment(user: Person, live: LiveEvents, days: number): Promise<void> {
  const excessive = { strategyId: 'balanced-10', amount: '5000.00' };
  await user.requireRefusal('INSUFFICIENT_BALANCE', 'POST', '/api/user/investments', excessive);
  printStep('tries to invest 5000.00 USDC and is refused: INSUFFICIENT_BALANCE');

  const key = { 'idempotency-key': crypto.randomUUID() };
  const request = { strategyId: 'balanced-10', amount: INVESTMENT };
  const invest = () => user.ask<Investment>('POST', '/api/user/investments', request, key);
  const investment = await invest();
  const repeated = await invest();
  requireEqual(repeated.id, investment.id, 'the investment of the repeated request');
  printStep(
    `invests ${INVESTMENT} USDC in balanced-10; the first growth shows on ${investment.nextYieldDate}`,
  );

  if (days > 0) await control('/clock/advance', { days: days + 1 }); // the day of the investment brings no growth
  const grown = await user.ask<Investment>('GET', `/api/user/investments/${investment.id}`);
  // 600 USDC at an APY of 10 %, computed independently of the service; a float is exact enough for four decimals.
  const expected = (600 * Math.pow(1.1, days / 365)).toFixed(4);
  requireEqual(Money.of(grown.currentValue).toFixed(4), expected, `the value after ${days} full days`);
  printStep(
    `sees its value: after ${days} full days it is worth ${grown.currentValue} USDC (+${grown.totalEarnings})`,
  );

  const closed = await user.ask<{
    withdrawnAmount: string;
    totalEarnings: string;
    fees: { managementFee: string };
  }>('DELETE', `/api/user/investments/${investment.id}`);
  printStep(
    `closes it and gets ${closed.withdrawnAmount} USDC: ${closed.totalEarnings} earned, ${closed.fees.managementFee} management fee`,
  );
  // Events arrive in order: after this one no event about the opening can arrive.
  await live.first('investment.closed');
  requireEqual(live.count('investment.created'), 1, 'the number of live events about the opening');
  printStep(
    'the request was sent twice with one Idempotency-Key: one investment exists, and one live event arrived',
  );
}

async function demonstrateWithdrawal(user: Person, operator: Person): Promise<void> {
  const request = { amount: WITHDRAWAL, currency: 'USDC', toAddress: WALLET };
  const { id } = await user.ask<{ id: string }>('POST', '/api/user/withdrawals', request);
  const reserved = (await balanceOf(user)).reserved;
  requireEqual(reserved, WITHDRAWAL, 'the reserved amount');
  printStep(`asks to withdraw ${WITHDRAWAL} USDC to ${WALLET}; ${reserved} USDC are reserved for it`);

  const queue = await operator.ask<{ id: string; userEmail: string }[]>(
    'GET',
    '/api/admin/withdrawals/pending?orderBy=desc', // newest first, because the queue may hold earlier withdrawals
  );
  requireThat(
    queue.some((waiting) => waiting.id === id),
    'the withdrawal is not in the queue',
  );
  await operator.ask('POST', `/api/admin/withdrawals/${id}/take`);
  await user.requireRefusal('INVALID_STATE', 'POST', `/api/user/withdrawals/${id}/cancel`);
  printStep('the operator takes it from the queue; the user can no longer cancel it: INVALID_STATE');

  const { txHash } = await control<{ txHash: string }>('/chain/transfer', { to: WALLET, amount: WITHDRAWAL });
  await operator.ask('POST', `/api/admin/withdrawals/${id}/complete`, { txHash });
  const detail = await operator.ask<{ status: string; withdrawal: { chainCheck: string } }>(
    'GET',
    `/api/admin/withdrawals/${id}`,
  );
  requireEqual(detail.status, 'completed', 'the status of the withdrawal');
  requireEqual(detail.withdrawal.chainCheck, 'matched', 'the check of the payment on chain');
  printStep(`the operator pays it at the custody provider and completes it with ${txHash}; the chain agrees`);
  const search = `/api/admin/search?q=${txHash.slice(2, 18)}`;
  const { results } = await operator.ask<{ results: { type: string; id: string }[] }>('GET', search);
  requireThat(
    results.some((found) => found.type === 'withdrawal' && found.id === id),
    'the search does not find the withdrawal',
  );
  printStep('the operator finds the payment again by the beginning of its hash');
}

async function requireConsistentBalance(user: Person): Promise<void> {
  const balance = await balanceOf(user);
  const { deposits, withdrawals, earnings, fees } = balance.breakdown;
  const available = Money.of(balance.available);
  const invested = Money.of(balance.invested);
  printStep(
    `ends with ${balance.total} USDC: ${balance.available} available, ${balance.invested} invested ` +
      `(deposits ${deposits}, withdrawals ${withdrawals}, earnings ${earnings}, fees ${fees})`,
  );
  requireEqual(balance.total, available.plus(invested).toWire(), 'total = available + invested: total');
  const computed = Money.of(deposits)
    .minus(Money.of(withdrawals))
    .minus(invested)
    .plus(Money.of(earnings))
    .minus(Money.of(fees));
  const rule = 'available = deposits - withdrawals - invested + earnings - fees';
  requireEqual(balance.available, computed.toWire(), `${rule}: available`);
  requireEqual(deposits, DEPOSIT, 'the sum of deposits');
  requireEqual(withdrawals, WITHDRAWAL, 'the sum of withdrawals');
  printStep(`both rules of the balance hold: total = available + invested; ${rule}`);
}

/** In a rehearsal the API runs as in production: the sandbox cannot move its clock, and it sends no mail. */
async function isRehearsal(): Promise<boolean> {
  const { body } = await callApi('GET', '/api/health/detailed');
  return (body.data as { rehearsal: boolean }).rehearsal;
}

async function runDemo(): Promise<void> {
  const inRehearsal = await isRehearsal();
  printChapter("A user's story");
  const saved = await saveKeysAndCheckpoint();
  const email = `demo-${Date.now()}@example.org`;
  const user = await Person.signIn(email, 'Demo User');
  printStep(`${email} signs in with the identity provider`);
  await demonstrateCookieSession(email);
  await demonstrateWalletSignIn(user);
  const live = await LiveEvents.connect(user);
  try {
    await demonstrateDeposit(user, live);
    await demonstrateInvestment(user, live, inRehearsal ? 0 : DAYS);
  } finally {
    live.close();
  }
  const operator = await Person.signIn('operator@example.com', 'Olga Operator');
  await demonstrateWithdrawal(user, operator);
  if (inRehearsal) {
    await requireConsistentBalance(user);
    printStep(
      'the other chapters need mail and a clock that can be moved: start the sandbox without REHEARSAL for them',
    );
    return;
  }
  await demonstrateApiKey(user);
  await demonstrateMail(email, WITHDRAWAL);
  await demonstrateReports(user);
  await requireConsistentBalance(user);

  printChapter('A stolen session');
  const ada = await Person.signIn('admin@example.com', 'Ada Admin');
  const amir = await Person.signIn('admin2@example.com', 'Amir Admin');
  const admins = { operator, ada, amir };
  await demonstrateSecondFactor(email.replace('demo-', 'careful-'), admins);

  printChapter("An operator's morning");
  await demonstrateQueue(user, admins);
  await demonstrateTreasury(admins);
  await demonstrateIntegrityCheck(admins);
  await demonstrateAuditLog(admins);
  await demonstrateEventFeed(admins);

  printChapter("An accountant's year");
  await demonstrateBooks(ada);

  printChapter('Four eyes');
  const movedUser = await demonstrateFourEyes(user, email, admins);

  printChapter('Proofs');
  const deposit = await verifyProofs(movedUser, saved, DEPOSIT);
  await auditTamperedCopy(admins, deposit);
}

runDemo().then(
  () => process.stdout.write('\nAll results are as expected.\n'),
  (error: unknown) => {
    process.stderr.write(
      `\nThe demo failed: ${error instanceof DemoFailure ? error.message : (error as Error).stack}\n`,
    );
    process.exitCode = 1;
  },
);
