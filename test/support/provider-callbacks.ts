import { randomBytes } from 'node:crypto';
import { LosslessNumber, stringify } from 'lossless-json';
import { SANDBOX_SETTINGS } from '../../src/sandbox/sandbox-settings.js';
import { signedHeaders } from '../../src/sandbox/signature.js';
import { WebhookInbox } from '../../src/modules/webhooks/webhook-inbox.js';
import type { Reply } from './caller.js';
import type { TestPlatform } from './platform.js';

/** What the deposit provider says of a deposit; what is left out is the usual. */
export interface Told {
  id?: number;
  status?: string;
  currency?: string;
  network?: string;
  address: string;
  hash?: string | null;
  /** Digits, sent as a JSON number. */
  amount?: string;
  confirmations?: number;
  error?: string | null;
}

interface Signing {
  key?: string;
  secret?: string;
  /** Moves the time of signing. */
  ageMs?: number;
  recvWindow?: string;
}

let lastId = 1_000_000;

/** A new id of the provider's, of a deposit that the sandbox's provider knows nothing of. */
export function newProviderId(): number {
  return ++lastId;
}

export function newHash(): string {
  return `0x${randomBytes(32).toString('hex')}`;
}

export function depositBody(told: Told): string {
  const { currency = 'USDT', network = 'trc20', hash = newHash(), error = null, ...rest } = told;
  const { id = newProviderId(), status = 'Success', amount = '600', confirmations = 20, address } = rest;
  const data = {
    type: 'Deposit',
    id,
    status,
    date: '2026-03-02T10:00:00.000Z',
    clientDepositId: null,
    error,
    instrument: { currencyShortName: currency, transportProtocol: network },
    address: { address, tag: null, foreignId: null, senderAddress: 'TSenderSenderSenderSenderSenderSen' },
    transaction: {
      approach: 'FullProcessing',
      hash,
      amount: new LosslessNumber(amount),
      confirmations,
      amlRiskGrade: 'Low',
    },
    fees: [],
  };
  return stringify({ data }) as string;
}

/** Sends callbacks as the deposit provider does, really signed. */
export class ProviderCallbacks {
  constructor(private readonly platform: TestPlatform) {}

  send(kind: 'deposit' | 'withdrawal', body: string, signing: Signing = {}): Promise<Reply> {
    const path = `/api/webhooks/${SANDBOX_SETTINGS.DEPOSIT_PROVIDER_NAME}/${kind}`;
    const {
      key = SANDBOX_SETTINGS.DEPOSIT_PROVIDER_KEY,
      secret = SANDBOX_SETTINGS.DEPOSIT_PROVIDER_SECRET,
      ageMs = 0,
    } = signing;
    const realNow = Date.now;
    Date.now = () => realNow() - ageMs; // the sandbox signs with the time that it is
    const headers = signedHeaders(
      { key, secret },
      { method: 'POST', url: this.platform.baseUrl + path, body },
    );
    Date.now = realNow;
    return this.platform.as(null).post(path, body, { headers });
  }

  /** Tells of a deposit and waits until that is acted upon. */
  async tell(told: Told): Promise<void> {
    const reply = await this.send('deposit', depositBody(told));
    if (reply.status !== 200) throw new Error(`the callback was refused: ${JSON.stringify(reply.body)}`);
    await this.platform.app.get(WebhookInbox).drain();
  }
}

/** Waits until a condition holds. */
export async function eventually(holds: () => Promise<boolean>, withinMs = 10_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error('it did not come true in time');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
