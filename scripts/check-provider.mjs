// `npm run check:provider -- deposit` or `-- screening`: calls a provider with the clients of the service and prints whether it answers as
// docs/providers describes. The settings are those of the service. Creates one deposit address for a user who does not exist.
import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { Crypto2bClient } from '../dist/modules/funds/deposits/deposit-provider.client.js';
import { HttpScreeningClient } from '../dist/modules/identity/screening/screening-provider.client.js';

const SETTINGS = {
  deposit: ['DEPOSIT_PROVIDER_URL', 'DEPOSIT_PROVIDER_KEY', 'DEPOSIT_PROVIDER_SECRET'],
  screening: ['SCREENING_URL', 'SCREENING_SECRET'],
};
const UNKNOWN_DEPOSIT = '999999999999';
const WRONG_SECRET = Buffer.from('a secret of another platform').toString('base64');

const depositChecks = (config, [currency = 'USDT', network = 'TRC20']) => {
  const client = new Crypto2bClient(config);
  const list = () => client.listDeposits(0, 100);
  return {
    [`creates an address for ${currency} over ${network}`]: () =>
      client.createAddress(randomUUID(), currency, network),
    'lists deposits that the service can read': async () => {
      const { unreadable } = await list();
      if (unreadable > 0) throw new Error(`${unreadable} deposits of the first page are invalid`);
    },
    'finds the newest deposit by its id, if there is one': async () => {
      const [newest] = (await list()).deposits;
      if (newest && (await client.findDeposit(newest.id))?.id !== newest.id)
        throw new Error(`${newest.id} is not found`);
    },
    'answers 404 for an unknown deposit': async () => {
      if (await client.findDeposit(UNKNOWN_DEPOSIT)) throw new Error(`there is a deposit ${UNKNOWN_DEPOSIT}`);
    },
    'refuses a wrong signature': () =>
      expectFailure(
        new Crypto2bClient({ ...config, DEPOSIT_PROVIDER_SECRET: WRONG_SECRET }).listDeposits(0, 1),
      ),
  };
};

const screeningChecks = (config) => {
  const client = new HttpScreeningClient(config);
  const user = { type: 'user', id: randomUUID(), email: 'check@example.org' };
  const address = `0x${'12'.repeat(20)}`;
  const question = { type: 'address', id: address, address, network: 'ERC20' };
  return {
    'answers a question about a user': () => client.screen(randomUUID(), user),
    'answers a question about an address': () => client.screen(randomUUID(), question),
    'refuses a wrong signature': () =>
      expectFailure(
        new HttpScreeningClient({ ...config, SCREENING_SECRET: WRONG_SECRET }).screen(randomUUID(), user),
      ),
  };
};

async function expectFailure(call) {
  const isAccepted = await call.then(
    () => true,
    () => false,
  );
  if (isAccepted) throw new Error('it was accepted');
}

const [provider, ...rest] = process.argv.slice(2);
const names = SETTINGS[provider] ?? [];
const missing = names.filter((name) => !process.env[name]);
if (names.length === 0 || missing.length > 0) {
  const fault = names.length === 0 ? 'Name a provider: deposit or screening.' : `Set ${missing.join(', ')}.`;
  process.stderr.write(`${fault}\n`);
  process.exit(1);
}
Logger.overrideLogger(['warn']); // the clients log why a call failed
const config = Object.fromEntries(names.map((name) => [name, process.env[name]]));
const checks = provider === 'deposit' ? depositChecks(config, rest) : screeningChecks(config);
for (const [what, check] of Object.entries(checks)) {
  const failure = await check().then(
    () => undefined,
    (error) => error,
  );
  process.stdout.write(failure ? `FAILED ${what}: ${failure.message}\n` : `ok     ${what}\n`);
  if (failure) process.exitCode = 1;
}
