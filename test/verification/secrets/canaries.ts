import { randomBytes } from 'node:crypto';
import { newApiKey } from '../../../src/modules/api-keys/domain/api-key-format.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { upgradeStatus } from '../../harness/live-client.js';

/** Generated secrets that are sent in requests and searched in logs and traces. */
export class Canaries {
  private readonly secrets = new Set<string>();

  add = <T extends string>(secret: T): T => {
    this.secrets.add(secret);
    return secret;
  };
  /** A new secret without a recognisable format. */
  canary = (name: string): string => this.add(`canary-${name}-${randomBytes(6).toString('hex')}`);
  findLeaks = (text: string): string[] => [...this.secrets].filter((secret) => text.includes(secret));

  get size(): number {
    return this.secrets.size;
  }

  get last(): string {
    return [...this.secrets].at(-1) as string;
  }
}

type Ask = (
  method: string,
  path: string,
  request: { headers: Record<string, string>; body?: unknown },
) => Promise<{ data: { id?: string; secret?: string; key?: string; ticket?: string } | undefined }>;

/** Sends the secrets of a user's webhook: a key in its URL, and a server that echoes requests. */
export async function sendWebhookSecrets(
  { add: plant, canary }: Canaries,
  ask: Ask,
  headers: Record<string, string>,
  serverUrl: string,
): Promise<void> {
  const url = `${serverUrl}/${canary('hook-path')}?key=${canary('hook-key')}`;
  const wish = { url, events: ['deposit.completed'] };
  const made = await ask('POST', '/api/user/webhooks', { headers, body: wish });
  const path = `/api/user/webhooks/${made.data?.id ?? UNKNOWN_ID}`;
  const rotated = await ask('POST', `${path}/rotate-secret`, { headers });
  for (const { data } of [made, rotated])
    if (data?.secret) {
      plant(data.secret);
      plant(data.secret.replace('whsec_', ''));
    }
  await ask('POST', `${path}/test`, { headers });
  const nested = { user: { password: canary('nested'), deep: [{ token: canary('deep') }] } };
  await ask('PUT', path, { headers, body: nested });
  const unreachable = `http://${canary('user')}:${canary('password')}@127.0.0.1:1/?token=${canary('hook')}`;
  await ask('PUT', path, { headers, body: { url: unreachable } });
}

/** Sends an API key of the user, a mistyped and an unknown one, in every possible place of requests. */
export async function sendApiKeySecrets(
  { add: plant, canary }: Canaries,
  ask: Ask,
  headers: Record<string, string>,
): Promise<void> {
  const path = '/api/user/api-keys';
  const wish = { name: canary('key-name'), scopes: ['balance:read'] };
  const { data } = await ask('POST', path, { headers, body: wish });
  const key = plant(data?.key ?? newApiKey());
  for (const text of [key, plant(`${key.slice(0, -1)}_`), plant(newApiKey())]) {
    const byKey = { authorization: `Bearer ${text}` };
    await ask('GET', `/api/user/balance?key=${text}`, { headers: byKey });
    await ask('GET', `/api/user/withdrawals/${text}`, { headers: byKey });
    await ask('GET', `/api/${text}?key=%22${text}%22`, { headers: { authorization: text } });
    await ask('POST', path, { headers, body: { name: text, [text]: text } });
    await ask('POST', '/api/admin/auth/validate-token', { headers: {}, body: { token: text } });
  }
  await ask('DELETE', `${path}/${data?.id ?? UNKNOWN_ID}`, { headers });
}

/** Sends upgrades with a ticket in their address, which is used once and then refused. Returns the status codes. */
export async function sendTickets(
  { add: plant, canary }: Canaries,
  ask: Ask,
  { url, headers }: { url: string; headers: Record<string, string> },
): Promise<number[]> {
  const { data } = await ask('POST', '/api/user/live/ticket', { headers });
  const ticket = plant(data?.ticket ?? canary('ticket'));
  const statuses: number[] = [];
  for (const sent of [ticket, ticket, canary('ticket')])
    statuses.push(await upgradeStatus(`${url}/api/live?ticket=${sent}&after=${canary('after')}`));
  return statuses;
}
