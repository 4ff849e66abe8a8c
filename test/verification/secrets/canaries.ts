import { randomBytes } from 'node:crypto';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';

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
) => Promise<{ data: { id?: string; secret?: string } | undefined }>;

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
