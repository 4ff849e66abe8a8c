import { Person } from './demo-client.js';
import { balanceOf } from './demo-operations.js';
import { requireEqual, printStep } from './demo-output.js';

const SAVINGS = '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc';
const AMOUNT = '100.00';

/** A script calls the API with an API key of the user. */
export async function demonstrateApiKey(user: Person): Promise<void> {
  const scopes = ['balance:read', 'withdrawals:write'];
  const created = await user.ask<{ key: string }>('POST', '/api/user/api-keys', { name: 'Script', scopes });
  const script = Person.withToken(created.key);
  const { available } = await balanceOf(script);
  const details = await script.requireRefusal('PERMISSION_DENIED', 'GET', '/api/user/transactions');
  const required = details?.required as string | undefined;
  requireEqual(required, 'transactions:read', 'the scope that the key lacks');
  printStep(
    `the user creates an API key: a script reads the balance with it (${available} USDC available); the transactions are refused: PERMISSION_DENIED, requires ${required}`,
  );

  const request = { amount: AMOUNT, currency: 'USDC', toAddress: SAVINGS };
  const path = '/api/user/withdrawals';
  await script.requireRefusal('ADDRESS_NOT_ALLOWED', 'POST', path, request);
  printStep(`the script asks to withdraw ${AMOUNT} USDC to ${SAVINGS} and is refused: ADDRESS_NOT_ALLOWED`);
  const entry = { label: 'Savings', address: SAVINGS, network: 'ERC20' };
  await user.ask('POST', '/api/user/addresses', entry);
  const { id } = await script.ask<{ id: string }>('POST', path, request);
  await script.ask('POST', `${path}/${id}/cancel`);
  requireEqual((await balanceOf(user)).reserved, '0.00', 'the reserved amount after the cancellation');
  printStep(
    'the user adds the address to the address book; now the script requests the withdrawal, and cancels it',
  );
}
