import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Leases } from '../../database/leases.js';
import { Repeated } from '../../http/lifecycle/repeated.js';
import { SealedSecrets } from './sealed-secrets.js';

const EVERY_MS = 600_000; // again, since a replica that was not restarted yet goes on sealing with its own key
const ROWS_AT_ONCE = 500;

interface Row {
  readonly id: string;
  readonly secret: Buffer;
  readonly previousSecret: Buffer | null;
}

/**
 * Brings secrets over to the key of the settings while there are two: at the start, then every ten minutes, by
 * whichever replica comes first. When nothing is sealed with the other key, nothing needs that any more.
 */
@Injectable()
export class Resealing implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('WebhookSecrets');
  private readonly turns = new Repeated(
    () => this.pass(),
    this.log,
    'secrets of webhooks were not brought over to WEBHOOK_ENCRYPTION_KEY',
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly leases: Leases,
    private readonly secrets: SealedSecrets,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.secrets.hasTwoKeys) return;
    this.turns.begin(EVERY_MS, { atOnce: true });
  }

  async onModuleDestroy(): Promise<void> {
    await this.turns.end();
  }

  async pass(): Promise<void> {
    await this.leases.alone('webhook-secrets', async () => {
      let [resealed, unopened, after] = [0, 0, '00000000-0000-0000-0000-000000000000'];
      for (let rows = await this.rowsAfter(after); rows.length > 0; rows = await this.rowsAfter(after)) {
        if (this.turns.isEnding) return;
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
    });
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
