import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Job } from '../../jobs/job.decorator.js';
import { SealedSecrets } from './sealed-secrets.js';

const ROWS_AT_ONCE = 500;

interface Row {
  readonly id: string;
  readonly secret: Buffer;
  readonly previousSecret: Buffer | null;
}

/**
 * Seals secrets with the first key of the settings while there are two. It is done again and again, since a process that was
 * not restarted yet goes on sealing with its own key. Once no secret is sealed with the other key, that one can be removed.
 */
@Injectable()
export class Resealing {
  private readonly log = new Logger('WebhookSecrets');

  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: SealedSecrets,
  ) {}

  @Job({
    name: 'webhook-secrets',
    purpose:
      'Seals secrets of users’ webhooks with WEBHOOK_ENCRYPTION_KEY while WEBHOOK_ENCRYPTION_KEY_ALSO is set',
    everySeconds: 600,
    atStart: true,
    exclusive: true,
  })
  async pass(stopping: AbortSignal): Promise<void> {
    if (!this.secrets.hasTwoKeys) return;
    let [resealed, unopened, after] = [0, 0, '00000000-0000-0000-0000-000000000000'];
    for (let rows = await this.rowsAfter(after); rows.length > 0; rows = await this.rowsAfter(after)) {
      if (stopping.aborted) return;
      for (const row of rows) {
        const outcome = await this.bringOver(row);
        if (outcome === 'resealed') resealed++;
        if (outcome === 'unopened') unopened++;
        after = row.id;
      }
    }
    if (unopened > 0) this.log.warn(`${unopened} secret(s) of webhooks open with neither key`);
    this.log.log(
      resealed > 0
        ? `${resealed} secret(s) of webhooks are now sealed with WEBHOOK_ENCRYPTION_KEY`
        : 'no secret of a webhook is sealed with WEBHOOK_ENCRYPTION_KEY_ALSO',
    );
  }

  private rowsAfter(id: string): Promise<Row[]> {
    return this.dataSource.query<Row[]>(
      `select id, secret, previous_secret as "previousSecret" from webhook_subscription
        where id > $1 order by id limit ${ROWS_AT_ONCE}`,
      [id],
    );
  }

  /** Nothing is locked: a secret that its owner rotates meanwhile is left as it is. */
  private async bringOver({
    id,
    secret,
    previousSecret,
  }: Row): Promise<'resealed' | 'unopened' | 'as it was'> {
    let anew: { secret: Buffer; previousSecret: Buffer | null };
    try {
      anew = {
        secret: this.secrets.resealed(id, secret),
        previousSecret: previousSecret && this.secrets.resealed(id, previousSecret),
      };
    } catch {
      return 'unopened';
    }
    if (anew.secret === secret && anew.previousSecret === previousSecret) return 'as it was';
    await this.dataSource.query(
      `update webhook_subscription set secret = $2, previous_secret = $3
        where id = $1 and secret = $4 and previous_secret is not distinct from $5`,
      [id, anew.secret, anew.previousSecret, secret, previousSecret],
    );
    return 'resealed';
  }
}
