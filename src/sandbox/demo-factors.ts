import { generateSync } from 'otplib';
import { control, Person, readControl, until } from './demo-client.js';
import { balanceOf, type Admins } from './demo-operations.js';
import { printStep, requireEqual } from './demo-output.js';

const DEPOSIT = '500.00';
const WALLET = '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc';
const REQUEST = { amount: '60.00', currency: 'USDC', toAddress: WALLET };
const WITHDRAWALS = '/api/user/withdrawals';
const STEP_SECONDS = 30;

/**
 * A user adds the one-time codes of an app. A thief who has the session, but not the app, gets nothing. The user locks the account by
 * the link of a mail.
 */
export async function demonstrateSecondFactor(email: string, admins: Admins): Promise<void> {
  const user = await Person.signIn(email, 'Bea Careful');
  const { address } = await user.ask<{ address: string }>(
    'GET',
    '/api/user/deposits/address?currency=USDC&network=ERC20',
  );
  await control('/deposits', { address, amount: DEPOSIT });
  await until('the deposit to be credited', async () =>
    (await balanceOf(user)).available === DEPOSIT ? true : undefined,
  );
  const { secret } = await user.ask<{ secret: string }>('POST', '/api/user/totp');
  const step = Math.floor(Date.now() / 1000 / STEP_SECONDS);
  const codeOf = (timeStep: number) => generateSync({ secret, epoch: timeStep * STEP_SECONDS });
  const { recoveryCodes } = await user.ask<{ recoveryCodes: string[] }>('POST', '/api/user/totp/confirm', {
    code: codeOf(step),
  });
  printStep(
    `${email} deposits ${DEPOSIT} USDC and adds the one-time codes of an app; ${recoveryCodes.length} recovery codes are for paper`,
  );

  await user.requireRefusal('STEP_UP_REQUIRED', 'POST', WITHDRAWALS, REQUEST);
  printStep('a thief with the session asks to withdraw and is refused: STEP_UP_REQUIRED');

  const { id } = await user.ask<{ id: string }>('POST', '/api/user/step-up', {
    action: 'withdrawal.request',
    details: REQUEST,
  });
  // The code of the next time step: each code counts once, and a code is accepted one step early.
  const { token } = await user.ask<{ token: string }>('POST', `/api/user/step-up/${id}/verify`, {
    code: codeOf(step + 1),
  });
  const stepUp = { 'x-step-up': token };
  const toThief = { ...REQUEST, toAddress: `0x${'bad'.repeat(13)}b` };
  const details = await user.requireRefusal('STEP_UP_INVALID', 'POST', WITHDRAWALS, toThief, stepUp);
  requireEqual(details?.reason as string, 'other_details', 'the reason of the refusal');
  const withdrawal = await user.ask<{ id: string }>('POST', WITHDRAWALS, REQUEST, stepUp);
  await user.ask('POST', `${WITHDRAWALS}/${withdrawal.id}/cancel`);
  printStep(
    'the user answers with a code: the token pays the address that the user has seen, not another one, and counts once',
  );
  await demonstrateLock(user, email, admins);
}

/**
 * The user suspects a thief, and locks the account by the link of a mail. Two admins unlock it, because the factor is new. `thief` is a
 * session of the user that the thief has.
 */
async function demonstrateLock(thief: Person, email: string, { ada, amir }: Admins): Promise<void> {
  const token = await until('the mail about the withdrawal', async () => {
    const mails = await readControl<{ text: string }[]>(`/mails?to=${encodeURIComponent(email)}`);
    return mails.map(({ text }) => /\/lock#([\w-]+)$/m.exec(text)?.[1]).find((link) => link !== undefined);
  });
  await Person.withToken('').ask('POST', '/api/auth/lock', { token });
  await thief.requireRefusal('TOKEN_INVALID', 'GET', '/api/user/balance');
  const user = await Person.signIn(email, 'Bea Careful');
  await user.requireRefusal('ACCOUNT_LOCKED', 'POST', WITHDRAWALS, REQUEST);
  printStep(
    'the user does not know a withdrawal in a mail and opens its link: the account is locked, and all sessions have ended',
  );

  const { locked } = await user.ask<{ locked: { unlock: string } }>('GET', '/api/user/limits');
  requireEqual(locked.unlock, 'admins', 'who can unlock the account');
  const { id: userId } = await user.ask<{ id: string }>('GET', '/api/auth/user/profile');
  const reason = { reason: 'The user has shown a passport.' };
  const approval = await ada.askForApproval<{ id: string }>(
    'POST',
    `/api/admin/users/${userId}/unlock`,
    reason,
  );
  await amir.ask('POST', `/api/admin/approvals/${approval.id}/approve`);
  await user.requireRefusal('STEP_UP_REQUIRED', 'POST', WITHDRAWALS, REQUEST);
  printStep(
    'the factor is new, so that a thief could have it: Ada asks to unlock the account, and Amir approves it',
  );
}
