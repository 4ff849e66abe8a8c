import express from 'express';
import type { Express, Request } from 'express';
import { getAddress, isAddress } from 'viem';
import type { Address } from 'viem';
import { isDay } from '../common/days.js';
import type { Delivery } from './callbacks.js';
import type { RunningChain } from './chain.js';
import type { CustodyProvider } from './custody-provider.js';
import type { DepositProvider } from './deposit-provider.js';
import { depositRoutes } from './deposit-routes.js';
import { FAULT_MODES, PARTIES, applyFaults } from './faults.js';
import type { FaultMode, Faults, Party } from './faults.js';
import type { IdentityProvider, TokenRequest } from './identity-provider.js';
import {
  BadInput,
  amount,
  answerErrors,
  decimal,
  fieldsOf,
  oneOf,
  optionalObject,
  optionalText,
  text,
  wholeNumber,
} from './input.js';
import type { Fields } from './input.js';
import type { MailServer } from './mail-server.js';
import type { MovableClock } from './movable-clock.js';
import type { SandboxSettings } from './sandbox-settings.js';
import { SCREENING_VERDICTS, screeningRoutes, type ScreeningProvider } from './screening-provider.js';
import { USDC_DECIMALS } from './test-usdc.js';

export interface ControlledParts {
  settings: SandboxSettings;
  chain: RunningChain;
  identity: IdentityProvider;
  deposits: DepositProvider;
  custody: CustodyProvider;
  screening: ScreeningProvider;
  mail: MailServer;
  faults: Faults;
  clock: MovableClock;
  startFault: (party: Party, mode: FaultMode, count?: number) => Promise<void>;
  /** Ends a party's fault and sends the callbacks that it delayed. */
  endFault: (party: Party) => Promise<void>;
  /** Each check resolves when its part is ready. GET /health reports them by name. */
  checks: Record<string, () => Promise<unknown>>;
}

const MOST_BLOCKS = 10_000;
const MOST_DAYS = 3_650;
const LONGEST_TOKEN_SECONDS = 10 * 365 * 86_400;
// The longest wait of a control call for the delivery of a callback. Retries continue in the background.
const MAX_WAIT_FOR_DELIVERY_MS = 3_000;

/** The control API for the developer, and the interfaces of the providers for the platform, on one port. */
export function controlApi(parts: ControlledParts): Express {
  const app = express().disable('x-powered-by');
  const { settings, deposits, faults } = parts;
  app.use('/deposit-provider', depositRoutes(deposits, settings, faults));
  app.use('/screening-provider', screeningRoutes(parts.screening, faults));
  app.get('/idp/.well-known/jwks.json', applyFaults(faults, 'identity'), (_request, response) => {
    response.json(parts.identity.jwks());
  });

  app.use(express.raw({ type: () => true, limit: '100kb' }));
  app.get('/health', async (_request, response) => {
    const states = await statesOf(parts.checks);
    const isUp = Object.values(states).every((state) => state === 'up');
    response.status(isUp ? 200 : 503).json({ status: isUp ? 'up' : 'down', parts: states });
  });
  app.get('/mails', (request, response) => {
    const { to } = request.query;
    const mails = typeof to === 'string' ? parts.mail.mailsTo(to) : parts.mail.mails;
    response.json(mails.map((mail) => ({ ...mail, to: mail.to.join(', ') })));
  });
  const commands = commandsOf(parts);
  for (const [path, command] of Object.entries(commands)) {
    app.post(path, async (request, response) => {
      response.json(await command(fieldsOf(request.body)));
    });
  }
  app.use((request: Request, response) => {
    const known = [
      'GET /health',
      'GET /mails?to=',
      'GET /idp/.well-known/jwks.json',
      ...Object.keys(commands).map((path) => `POST ${path}`),
    ];
    response.status(404).json({ error: `There is no ${request.method} ${request.path}.`, known });
  });
  app.use(answerErrors);
  return app;
}

type Command = (fields: Fields) => Promise<object> | object;

function commandsOf(parts: ControlledParts): Record<string, Command> {
  const { chain, clock, custody, deposits, identity, screening } = parts;
  return {
    '/idp/token': async (fields) => ({ token: await identity.token(tokenRequest(fields)) }),
    '/deposits': (fields) => deposits.pay(text(fields, 'address'), amount(fields)),
    '/chain/mine': async (fields) => {
      await chain.mine(wholeNumber(fields.blocks, 'blocks', { min: 1, max: MOST_BLOCKS }));
      await deposits.observe();
      return { blockNumber: Number(await chain.blockNumber()) };
    },
    '/chain/transfer': async (fields) => ({
      txHash: await chain.payUsdc(recipient(fields), usdcAmount(fields)),
    }),
    '/custody/yield': async (fields) => {
      const { webhookId, delivery } = custody.report(yieldReport(fields));
      return { webhookId, ...(await waitForDelivery(delivery)) };
    },
    '/withdrawals/report': (fields) => {
      const withdrawalId = text(fields, 'withdrawalId');
      const error = optionalText(fields, 'error') ?? null;
      return waitForDelivery(deposits.reportWithdrawal(withdrawalId, text(fields, 'status'), error));
    },
    '/clock/advance': (fields) =>
      clock.advanceDays(wholeNumber(fields.days, 'days', { min: 1, max: MOST_DAYS })),
    '/clock/midnight': () => clock.advanceToMidnight(),
    '/screening/rules': (fields) =>
      screening.setRule(text(fields, 'match'), oneOf(fields, 'verdict', SCREENING_VERDICTS)),
    '/faults': (fields) => setFault(parts, fields),
  };
}

async function statesOf(checks: ControlledParts['checks']): Promise<Record<string, 'up' | 'down'>> {
  const states = Object.entries(checks).map(async ([name, check]) => {
    const isUp = await check().then(
      () => true,
      () => false,
    );
    return [name, isUp ? 'up' : 'down'] as const;
  });
  return Object.fromEntries(await Promise.all(states));
}

/** The result of the delivery, or `retrying` if it takes longer than a control call waits. */
async function waitForDelivery(
  delivery: Promise<Delivery>,
): Promise<{ outcome: Delivery['outcome'] | 'retrying'; status?: number }> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<{ outcome: 'retrying' }>((resolve) => {
    timer = setTimeout(resolve, MAX_WAIT_FOR_DELIVERY_MS, { outcome: 'retrying' });
  });
  return Promise.race([delivery, timeout]).finally(() => clearTimeout(timer));
}

function tokenRequest(fields: Fields): TokenRequest {
  const { email, emailVerified = true, expiresInSeconds = '3600' } = fields;
  if (typeof emailVerified !== 'boolean') throw new BadInput('emailVerified must be true or false.');
  if (email === undefined) throw new BadInput('email must be a text, or null to leave the claim out.');
  const range = { min: -LONGEST_TOKEN_SECONDS, max: LONGEST_TOKEN_SECONDS };
  return {
    email: email === null ? null : text(fields, 'email'),
    emailVerified,
    name: optionalText(fields, 'name'),
    sub: optionalText(fields, 'sub'),
    claims: optionalObject(fields, 'claims'),
    expiresInSeconds: wholeNumber(expiresInSeconds, 'expiresInSeconds', range),
  };
}

function recipient(fields: Fields): Address {
  const to = text(fields, 'to');
  if (isAddress(to, { strict: false })) return getAddress(to);
  throw new BadInput('to must be 0x and 40 hexadecimal digits.');
}

function usdcAmount(fields: Fields): string {
  const digits = amount(fields);
  if ((digits.split('.')[1] ?? '').length <= USDC_DECIMALS) return digits;
  throw new BadInput(`amount has more than the ${USDC_DECIMALS} decimals of USDC.`);
}

function yieldReport(fields: Fields) {
  const percent = /^-?\d{1,6}(\.\d{1,18})?$/;
  const day = text(fields, 'day');
  if (!isDay(day)) {
    throw new BadInput('day must be a UTC day, for example "2026-01-31".');
  }
  const realised = fields.realisedAmount === undefined ? {} : { realisedAmount: realisedAmount(fields) };
  const apy = decimal(fields, 'apy', percent, 'a percentage a year, for example "5.25"');
  return { strategyId: text(fields, 'strategyId'), day, apy, ...realised };
}

function realisedAmount(fields: Fields): string {
  return decimal(fields, 'realisedAmount', /^-?\d{1,18}(\.\d{1,18})?$/, 'a decimal, for example "12.50"');
}

async function setFault({ startFault, endFault }: ControlledParts, fields: Fields): Promise<object> {
  const provider = oneOf(fields, 'provider', Object.keys(PARTIES) as Party[]);
  const mode = oneOf(fields, 'mode', [...FAULT_MODES, 'none']);
  if (mode === 'none') {
    await endFault(provider);
    return { provider, mode };
  }
  const { answers, callbacks } = PARTIES[provider];
  const possible: FaultMode[] = [...answers, ...callbacks];
  if (!possible.includes(mode)) {
    throw new BadInput(`mode of ${provider} must be one of ${possible.join(', ')}, none.`);
  }
  const range = { min: 1, max: Number.MAX_SAFE_INTEGER };
  const count = fields.count === undefined ? undefined : wholeNumber(fields.count, 'count', range);
  await startFault(provider, mode, count);
  return { provider, mode, ...(count === undefined ? {} : { count }) };
}
