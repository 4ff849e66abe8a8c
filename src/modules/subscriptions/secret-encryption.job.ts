import { Injectable, Logger } from '@nestjs/common';
import { Job } from '../../jobs/job.decorator.js';
import { SecretEncryptionService } from './secret-encryption.service.js';
import { SubscriptionsRepository, type StoredSecrets } from './subscriptions.repository.js';

const BATCH_ROWS = 500;

/**
 * Encrypts secrets with the first key while two keys are configured. Repeats, because processes with the old configuration
 * still encrypt with the second key. The operator may remove the second key when the log reports that no secret needs it.
 */
@Injectable()
export class SecretEncryptionJob {
  private readonly log = new Logger('WebhookSecrets');

  constructor(
    private readonly subscriptions: SubscriptionsRepository,
    private readonly encryption: SecretEncryptionService,
  ) {}

  @Job({
    name: 'webhook-secrets',
    purpose:
      'Seals secrets of users’ webhooks with WEBHOOK_ENCRYPTION_KEY while WEBHOOK_ENCRYPTION_KEY_ALSO is set',
    everySeconds: 600,
    atStart: true,
    exclusive: true,
  })
  async reencryptSecrets(stopping: AbortSignal): Promise<void> {
    if (!this.encryption.hasTwoKeys) return;
    const counts = { reencrypted: 0, unreadable: 0, unchanged: 0 };
    let rows: StoredSecrets[];
    let lastId = '00000000-0000-0000-0000-000000000000';
    while ((rows = await this.subscriptions.findSecretsAfter(lastId, BATCH_ROWS)).length > 0) {
      if (stopping.aborted) return;
      for (const row of rows) counts[await this.reencryptRow(row)]++;
      lastId = rows.at(-1)?.id ?? lastId;
    }
    if (counts.unreadable > 0)
      this.log.warn(`${counts.unreadable} secret(s) of webhooks can be decrypted with neither key`);
    this.log.log(
      counts.reencrypted > 0
        ? `${counts.reencrypted} secret(s) of webhooks are now encrypted with WEBHOOK_ENCRYPTION_KEY`
        : 'no secret of a webhook is encrypted with WEBHOOK_ENCRYPTION_KEY_ALSO',
    );
  }

  private async reencryptRow(row: StoredSecrets): Promise<'reencrypted' | 'unreadable' | 'unchanged'> {
    const { id, secret, previousSecret } = row;
    let after: StoredSecrets;
    try {
      after = {
        id,
        secret: this.encryption.reencrypt(id, secret),
        previousSecret: previousSecret && this.encryption.reencrypt(id, previousSecret),
      };
    } catch {
      return 'unreadable';
    }
    if (after.secret === secret && after.previousSecret === previousSecret) return 'unchanged';
    await this.subscriptions.replaceSecrets(row, after);
    return 'reencrypted';
  }
}
