import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, MoreThan, type Repository } from 'typeorm';
import { findRow } from '../../../database/entity-rows.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { WebhookSubscription } from './entities/webhook.entity.js';
import type { DisabledReason } from './webhooks.types.js';

export type DisabledSubscription = Pick<WebhookSubscription, 'id' | 'url'>;

/** The encrypted secrets of a subscription; `previousSecret` is null until the secret is rotated. */
export type StoredSecrets = Pick<WebhookSubscription, 'id' | 'secret' | 'previousSecret'>;

@Injectable()
export class WebhooksRepository {
  constructor(
    @InjectRepository(WebhookSubscription) private readonly subscriptions: Repository<WebhookSubscription>,
  ) {}

  /** The oldest first. */
  findSubscriptionsOfUser(userId: string): Promise<WebhookSubscription[]> {
    return this.subscriptions.find({ where: { userId }, order: { createdAt: 'ASC', id: 'ASC' } });
  }

  findSubscription(id: string): Promise<WebhookSubscription | null> {
    return this.subscriptions.findOneBy({ id });
  }

  /** The lock does not block transactions that insert deliveries, whose foreign key refers to the subscription. */
  lockSubscription(tx: Tx, id: string): Promise<WebhookSubscription | null> {
    return tx.findOne(WebhookSubscription, { where: { id }, lock: { mode: 'for_no_key_update' } });
  }

  /**
   * The active subscription of a user, unchanged since then, that has been failing longest; if none fails, the one with the oldest
   * waiting delivery.
   */
  lockSlowest(tx: Tx, userId: string, unchangedSince: Date): Promise<WebhookSubscription | undefined> {
    return findRow(
      tx,
      WebhookSubscription,
      `where user_id = $1 and status = 'active' and updated_at <= $2
       order by failing_since, (select min(created_at) from webhook_delivery
                                 where subscription_id = webhook_subscription.id and status = 'pending')
       limit 1 for no key update`,
      [userId, unchangedSince],
    );
  }

  countSubscriptions(tx: Tx, userId: string): Promise<number> {
    return tx.countBy(WebhookSubscription, { userId });
  }

  async insertSubscription(tx: Tx, subscription: WebhookSubscription): Promise<void> {
    await tx.insert(WebhookSubscription, subscription);
  }

  async updateSubscription(tx: Tx, id: string, changes: Partial<WebhookSubscription>): Promise<void> {
    await tx.update(WebhookSubscription, id, changes);
  }

  /** Disables the active subscriptions of a user and returns them. */
  async disableSubscriptionsOfUser(
    tx: Tx,
    userId: string,
    reason: DisabledReason,
    now: Date,
  ): Promise<DisabledSubscription[]> {
    const [disabled] = await tx.query<[DisabledSubscription[], number]>(
      `update webhook_subscription
          set status = 'disabled', disabled_reason = $2, failing_since = null, updated_at = $3
        where user_id = $1 and status = 'active' returning id, url`,
      [userId, reason, now],
    );
    return disabled;
  }

  async deleteSubscription(tx: Tx, id: string): Promise<void> {
    await tx.delete(WebhookSubscription, id);
  }

  async deleteSubscriptionsOfUser(tx: Tx, userId: string): Promise<void> {
    await tx.delete(WebhookSubscription, { userId });
  }

  /** The secrets of the first `limit` subscriptions of all users whose ids are above `id`, in the order of their ids. */
  findSecretsAfter(id: string, limit: number): Promise<StoredSecrets[]> {
    return this.subscriptions.find({
      select: { id: true, secret: true, previousSecret: true },
      where: { id: MoreThan(id) },
      order: { id: 'ASC' },
      take: limit,
    });
  }

  /** Changes nothing if the owner has rotated the secret since `before` was read. */
  async replaceSecrets(before: StoredSecrets, after: StoredSecrets): Promise<void> {
    const { id, secret, previousSecret } = before;
    const unchanged = { id, secret, previousSecret: previousSecret ?? IsNull() };
    await this.subscriptions.update(unchanged, {
      secret: after.secret,
      previousSecret: after.previousSecret,
    });
  }
}
