import { randomBytes } from 'node:crypto';
import { newApiKey } from '../../../src/modules/identity/api-keys/domain/api-key.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { upgradeStatus } from '../../harness/live-client.js';

/** The secrets that a test sends in requests and searches for in the log. */
export class Canaries {
  private readonly secrets = new Set<string>();

  /** Keeps the secret for `findLeaks` and returns it. */
  addSecret = <T extends string>(secret: T): T => {
    this.secrets.add(secret);
    return secret;
  };
  /** A new secret without a recognisable format. */
  canary = (name: string): string => this.addSecret(`canary-${name}-${randomBytes(6).toString('hex')}`);
  /** The address with a secret in its credentials, its path and its query. */
  urlWithSecrets(url: string, name: string): string {
    const user = this.canary(`${name}-user`);
    const password = this.canary(`${name}-password`);
    this.addSecret(Buffer.from(`${user}:${password}`).toString('base64'));
    const host = url.replace('://', `://${user}:${password}@`);
    return `${host}/v3/${this.canary(name)}?key=${this.canary(name)}`;
  }

  findLeaks = (text: string): string[] => [...this.secrets].filter((secret) => text.includes(secret));

  get size(): number {
    return this.secrets.size;
  }

  /** The secret that was added last. */
  get last(): string {
    return [...this.secrets].at(-1) as string;
  }
}

type SendRequest = (
  method: string,
  path: string,
  request: { headers: Record<string, string>; body?: unknown },
) => Promise<{ data: { id?: string; secret?: string; key?: string; ticket?: string } | undefined }>;

/** Sends the secrets of a user's webhook, whose URL contains a key and leads to a server that echoes requests. */
export async function sendWebhookSecrets(
  { addSecret, canary }: Canaries,
  send: SendRequest,
  headers: Record<string, string>,
  serverUrl: string,
): Promise<void> {
  const url = `${serverUrl}/${canary('hook-path')}?key=${canary('hook-key')}`;
  const body = { url, events: ['deposit.completed'] };
  const created = await send('POST', '/api/user/webhooks', { headers, body });
  const path = `/api/user/webhooks/${created.data?.id ?? UNKNOWN_ID}`;
  const rotated = await send('POST', `${path}/rotate-secret`, { headers });
  for (const { data } of [created, rotated])
    if (data?.secret) {
      addSecret(data.secret);
      addSecret(data.secret.replace('whsec_', ''));
    }
  await send('POST', `${path}/test`, { headers });
  const nested = { user: { password: canary('nested'), deep: [{ token: canary('deep') }] } };
  await send('PUT', path, { headers, body: nested });
  const unreachable = `http://${canary('user')}:${canary('password')}@127.0.0.1:1/?token=${canary('hook')}`;
  await send('PUT', path, { headers, body: { url: unreachable } });
}

/** Sends an API key of the user, a mistyped one and an unknown one in each part of a request. */
export async function sendApiKeySecrets(
  { addSecret, canary }: Canaries,
  send: SendRequest,
  headers: Record<string, string>,
): Promise<void> {
  const path = '/api/user/api-keys';
  const body = { name: canary('key-name'), scopes: ['balance:read'] };
  const { data } = await send('POST', path, { headers, body });
  const key = addSecret(data?.key ?? newApiKey());
  for (const sentKey of [key, addSecret(`${key.slice(0, -1)}_`), addSecret(newApiKey())]) {
    const byKey = { authorization: `Bearer ${sentKey}` };
    await send('GET', `/api/user/balance?key=${sentKey}`, { headers: byKey });
    await send('GET', `/api/user/withdrawals/${sentKey}`, { headers: byKey });
    await send('GET', `/api/${sentKey}?key=%22${sentKey}%22`, { headers: { authorization: sentKey } });
    await send('POST', path, { headers, body: { name: sentKey, [sentKey]: sentKey } });
    await send('POST', '/api/admin/auth/validate-token', { headers: {}, body: { token: sentKey } });
  }
  await send('DELETE', `${path}/${data?.id ?? UNKNOWN_ID}`, { headers });
}

/** Opens connections with a ticket in the URL: a valid one, the spent one, an unknown one. Returns the status codes. */
export async function sendTickets(
  { addSecret, canary }: Canaries,
  send: SendRequest,
  { url, headers }: { url: string; headers: Record<string, string> },
): Promise<number[]> {
  const { data } = await send('POST', '/api/user/live/ticket', { headers });
  const ticket = addSecret(data?.ticket ?? canary('ticket'));
  const statuses: number[] = [];
  for (const sent of [ticket, ticket, canary('ticket')])
    statuses.push(await upgradeStatus(`${url}/api/live?ticket=${sent}&after=${canary('after')}`));
  return statuses;
}
