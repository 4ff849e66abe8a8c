import { Money } from '../common/money.js';
import { control, Person, until } from './demo-client.js';
import { balanceOf, type Admins } from './demo-operations.js';
import { printDetail, printStep, requireEqual, requireThat } from './demo-output.js';

// Changes that one admin requests and a second one approves: the e-mail address of a user, which is the user's identity, and
// a payment that the chain contradicts.

const APPROVALS = '/api/admin/approvals';
const WITHDRAWALS = '/api/admin/withdrawals';
const AMOUNT = '75.00';
const WALLET = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const OPERATORS_WALLET = '0x976EA74026E726554dB657fA54763abd0C3a0aa9';
const REQUEST = { amount: AMOUNT, currency: 'USDC', toAddress: WALLET };

interface Approval {
  id: string;
  kind: string;
  change: { before: Record<string, string>; after: Record<string, string> };
  reason: string | null;
  status: string;
  requestedBy: string;
  expiresAt: string;
  decidedBy: string | null;
  note: string | null;
}

interface Hold {
  until: string;
  reason: string;
}

interface Withdrawal {
  status: string;
  chainCheck: string;
}

/** Returns the user, who has signed in again with another e-mail address. */
export async function demonstrateFourEyes(user: Person, email: string, admins: Admins): Promise<Person> {
  const movedUser = await changeEmailAddress(user, email, admins);
  await waitForEndOfHold(movedUser);
  await refuseFalsePayment(movedUser, admins);
  return movedUser;
}

/** One admin requests another address, and only another admin can approve it. The former sessions end, and a hold begins. */
async function changeEmailAddress(user: Person, email: string, { ada, amir }: Admins): Promise<Person> {
  const { id } = await user.ask<{ id: string }>('GET', '/api/auth/user/profile');
  const newEmail = email.replace('@', '-new@');
  const change = { email: newEmail, reason: 'The user has lost the mailbox.' };
  const approval = await ada.askForApproval<Approval>('PUT', `/api/admin/users/${id}`, change);
  requireEqual(approval.kind, 'user.email-change', 'the kind of the approval');
  requireEqual(approval.change.before.email, email, 'the address before the change');
  requireEqual(approval.change.after.email, newEmail, 'the address after the change');
  requireEqual(approval.requestedBy, 'admin@example.com', 'the requester');
  printStep(
    'the user has lost the mailbox, and Ada asks for another e-mail address: status 202, the change waits for a second admin',
  );
  printApproval(approval);

  await ada.requireRefusal('FOUR_EYES_REQUIRED', 'POST', `${APPROVALS}/${approval.id}/approve`);
  requireEqual(await emailOf(user), email, 'the address before the approval');
  printStep('Ada tries to approve it herself and is refused: FOUR_EYES_REQUIRED');

  const waiting = await amir.ask<Approval[]>('GET', `${APPROVALS}?status=pending&kind=user.email-change`);
  requireThat(
    waiting.some((listed) => listed.id === approval.id),
    'the approval is not in the list of the other admin',
  );
  const note = 'The user has shown a passport.';
  const decided = await amir.ask<Approval>('POST', `${APPROVALS}/${approval.id}/approve`, { note });
  requireEqual(decided.status, 'approved', 'the status of the approval');
  requireEqual(decided.decidedBy, 'admin2@example.com', 'the admin who has decided');
  await waitForEndOfSession(user);
  const movedUser = await Person.signIn(newEmail, 'Demo User');
  requireEqual(await emailOf(movedUser), newEmail, 'the address after the approval');
  printStep(
    'Amir finds it in the list of approvals and approves it: the sessions of the former address end, the user signs in with the new one',
  );
  return movedUser;
}

/** The API learns of ended sessions by notifications of the database, which arrive a moment later. */
async function waitForEndOfSession(user: Person): Promise<void> {
  await until('the end of the former session', () =>
    user.requireRefusal('TOKEN_INVALID', 'GET', '/api/auth/user/profile').then(
      () => true,
      () => undefined,
    ),
  );
}

/** A thief may have asked for the change, so that withdrawals are refused until the hold ends. */
async function waitForEndOfHold(user: Person): Promise<void> {
  const hold = await holdOf(user);
  requireEqual(hold?.reason, 'email-changed', 'the reason of the hold');
  const refused = await user.requireRefusal('SECURITY_HOLD', 'POST', '/api/user/withdrawals', REQUEST);
  requireEqual(hold?.until, refused?.until as string, 'the end of the hold in the refusal');
  printStep(
    `a thief could have asked for it, so that a hold begins (${hold?.reason}): until ${hold?.until} a withdrawal is refused: SECURITY_HOLD`,
  );
  await control('/clock/advance', { days: 1 });
  requireThat((await holdOf(user)) === null, 'the hold has not ended after a day');
}

/** The operator completes a withdrawal with the hash of a transfer to another address, then with that of the payment. */
async function refuseFalsePayment(user: Person, { operator, amir }: Admins): Promise<void> {
  const before = Money.of((await balanceOf(user)).available);
  const { id } = await user.ask<{ id: string }>('POST', '/api/user/withdrawals', REQUEST);
  await operator.ask('POST', `${WITHDRAWALS}/${id}/take`);
  printStep(`a day later the hold has ended: the user asks for ${AMOUNT} USDC, and the operator takes it`);

  const path = `${WITHDRAWALS}/${id}/complete`;
  const falsePayment = await payOnChain(OPERATORS_WALLET);
  const approval = await operator.askForApproval<Approval>('POST', path, falsePayment);
  requireEqual(approval.kind, 'withdrawal.complete-mismatch', 'the kind of the approval');
  requireEqual(approval.change.after.chainCheckReason, 'NO_SUCH_TRANSFER', 'the reason of the mismatch');
  await operator.requireRefusal('FOUR_EYES_REQUIRED', 'POST', `${APPROVALS}/${approval.id}/approve`);
  printStep(
    'the operator pays another address and completes the withdrawal with that hash; the chain contradicts it: status 202, not completed',
  );
  printApproval(approval);

  const reason = 'The transfer did not go to the user.';
  const decided = await amir.ask<Approval>('POST', `${APPROVALS}/${approval.id}/reject`, { reason });
  requireEqual(decided.status, 'rejected', 'the status of the approval');
  requireEqual(decided.note, reason, 'the reason of the rejection');
  const { status } = await operator.ask<Withdrawal>('GET', `${WITHDRAWALS}/${id}`);
  requireEqual(status, 'processing', 'the status of the withdrawal after the rejection');
  requireEqual((await balanceOf(user)).reserved, AMOUNT, 'the reserved amount after the rejection');
  printStep(`Amir rejects it ("${reason}"); the withdrawal stays in processing, its amount reserved`);

  const payment = await payOnChain(WALLET);
  const paid = await operator.ask<Withdrawal>('POST', path, payment);
  requireEqual(paid.status, 'completed', 'the status of the paid withdrawal');
  requireEqual(paid.chainCheck, 'matched', 'the check of the payment on chain');
  const { available, reserved } = await balanceOf(user);
  requireEqual(available, before.minus(Money.of(AMOUNT)).toWire(), 'the available balance after the payment');
  requireEqual(reserved, '0.00', 'the reserved amount after the payment');
  printStep(
    `the operator pays ${WALLET} and completes it with ${payment.txHash}: matched on chain, no second admin is needed`,
  );
}

function payOnChain(to: string): Promise<{ txHash: string }> {
  return control('/chain/transfer', { to, amount: AMOUNT });
}

async function emailOf(user: Person): Promise<string> {
  return (await user.ask<{ email: string }>('GET', '/api/auth/user/profile')).email;
}

async function holdOf(user: Person): Promise<Hold | null> {
  return (await user.ask<{ hold: Hold | null }>('GET', '/api/user/limits')).hold;
}

function printApproval({ kind, change, reason, requestedBy, expiresAt }: Approval): void {
  const fields = (values: Record<string, string>) =>
    Object.entries(values)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ');
  const lines = {
    kind,
    before: fields(change.before),
    after: fields(change.after),
    requestedBy: reason ? `${requestedBy}: "${reason}"` : requestedBy,
    expiresAt,
  };
  for (const [name, value] of Object.entries(lines)) printDetail(`${name.padEnd(11)}  ${value}`);
}
