import { Injectable, Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { LOWEST_ID } from '../../../common/ids.js';
import { SecretCipher } from '../../../common/secret-cipher.js';
import { AppConfig } from '../../../config/app-config.js';
import { Job } from '../../../jobs/job.decorator.js';
import { SecondSecrets } from '../../../observability/second-secrets.js';
import { WebhooksRepository, type StoredSecrets } from './webhooks.repository.js';

const SECRET_BYTES = 32;

/** A random secret in the format of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** Encrypts the signing secrets of webhook subscriptions. The owner of a secret is the id of its subscription. */
@Injectable()
export class SecretEncryptionService extends SecretCipher {
  constructor(config: AppConfig, secondSecrets: SecondSecrets) {
    super({
      key: config.WEBHOOK_ENCRYPTION_KEY,
      secondKey: config.WEBHOOK_ENCRYPTION_KEY_ALSO,
      purpose: 'webhook secrets',
      onUseOfSecondKey: () => secondSecrets.recordUse('WEBHOOK_ENCRYPTION_KEY_ALSO'),
    });
  }
}

const BATCH_ROWS = 500;

/** Numbers of secrets in a run. */
interface Counts {
  /** Encrypted with the first key by this run. */
  reencrypted: number;
  /** Decrypted by neither key. */
  unreadable: number;
}

/**
 * Encrypts secrets with the first key, WEBHOOK_ENCRYPTION_KEY, while a second one is configured. Runs repeatedly, because
 * processes with the old configuration still encrypt with the second key. The operator may remove the second key when the log
 * reports that no secret needs it.
 */
@Injectable()
export class SecretEncryptionJob {
  private readonly log = new Logger('WebhookSecrets');

  constructor(
    private readonly subscriptions: WebhooksRepository,
    private readonly encryption: SecretEncryptionService,
  ) {}

  @Job({
    name: 'webhook-secrets',
    purpose:
      'Encrypts secrets of users’ webhooks with WEBHOOK_ENCRYPTION_KEY while WEBHOOK_ENCRYPTION_KEY_ALSO is set',
    everySeconds: 600,
    atStart: true,
    exclusive: true,
  })
  async reencryptSecrets(stopping: AbortSignal): Promise<void> {
    if (!this.encryption.hasTwoKeys) return;
    const counts = { reencrypted: 0, unreadable: 0 };
    let lastId: string | undefined = LOWEST_ID;
    while (lastId !== undefined) {
      if (stopping.aborted) return;
      const rows: StoredSecrets[] = await this.subscriptions.findSecretsAfter(lastId, BATCH_ROWS);
      for (const row of rows) await this.reencryptRow(row, counts);
      lastId = rows.at(-1)?.id;
    }
    if (counts.unreadable > 0)
      this.log.warn(`${counts.unreadable} secret(s) of webhooks can be decrypted with neither key`);
    this.log.log(
      counts.reencrypted > 0
        ? `${counts.reencrypted} secret(s) of webhooks are now encrypted with WEBHOOK_ENCRYPTION_KEY`
        : 'no secret of a webhook is encrypted with WEBHOOK_ENCRYPTION_KEY_ALSO',
    );
  }

  private async reencryptRow(row: StoredSecrets, counts: Counts): Promise<void> {
    const { id, secret, previousSecret } = row;
    const after = {
      id,
      secret: this.reencryptSecret(id, secret, counts),
      previousSecret: previousSecret && this.reencryptSecret(id, previousSecret, counts),
    };
    if (after.secret !== secret || after.previousSecret !== previousSecret)
      await this.subscriptions.replaceSecrets(row, after);
  }

  /** A secret that neither key decrypts stays unchanged, so that the other secret of its row is re-encrypted. */
  private reencryptSecret(id: string, encrypted: Buffer, counts: Counts): Buffer {
    try {
      const reencrypted = this.encryption.reencrypt(id, encrypted);
      if (reencrypted !== encrypted) counts.reencrypted++;
      return reencrypted;
    } catch {
      counts.unreadable++;
      return encrypted;
    }
  }
}
