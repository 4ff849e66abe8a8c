import { randomBytes } from 'node:crypto';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';

/** Secrets that are planted, to be looked for where they must not be. */
export class Canaries {
  private readonly planted = new Set<string>();

  plant = <T extends string>(secret: T): T => {
    this.planted.add(secret);
    return secret;
  };
  /** A new one; it looks like nothing in particular. */
  canary = (name: string): string => this.plant(`canary-${name}-${randomBytes(6).toString('hex')}`);
  leaked = (text: string): string[] => [...this.planted].filter((secret) => text.includes(secret));

  get size(): number {
    return this.planted.size;
  }

  get last(): string {
    return [...this.planted].at(-1) as string;
  }
}

type Ask = (
  method: string,
  path: string,
  request: { headers: Record<string, string>; body?: unknown },
) => Promise<{ data: { id?: string; secret?: string } | undefined }>;

/** A user's webhook, whose address has a key in it and whose server repeats what it is sent. */
export async function tellWebhookSecrets(
  { plant, canary }: Canaries,
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
