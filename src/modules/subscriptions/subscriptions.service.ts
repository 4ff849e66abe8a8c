import { Injectable } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { newId } from '../../common/ids.js';
import { DeliveryWorker } from './delivery-worker.js';
import { testEvent } from './event-payloads.js';
import { Outbox } from './outbox.js';
import { ReceiverRefused, Receivers } from './receivers.js';
import { newSecret, SealedSecrets } from './sealed-secrets.js';
import type { ChangeWebhookRequest, SubscribeRequest } from './dto/subscriptions.request.js';
import { SubscriptionsQueries, type Delivery, type Subscription } from './subscriptions.queries.js';

const MOST_OF_A_USER = 10;
const PREVIOUS_SECRET_MS = 24 * 3_600_000;

/** A subscription with its secret, which is told this once. */
export interface WithSecret {
  readonly subscription: Subscription;
  readonly secret: string;
}

/** What users do about the events of theirs. Whatever names one throws WEBHOOK_NOT_FOUND, PERMISSION_DENIED. */
@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly queries: SubscriptionsQueries,
    private readonly receivers: Receivers,
    private readonly secrets: SealedSecrets,
    private readonly outbox: Outbox,
    private readonly worker: DeliveryWorker,
  ) {}

  /** Throws VALIDATION_ERROR for a URL that leads where it must not, and for an eleventh. */
  async create(userId: string, { url, events, description }: SubscribeRequest): Promise<WithSecret> {
    const receiver = await this.permitted(url);
    return this.unitOfWork.runInTransaction(async (tx) => {
      const [id, secret] = [newId(), newSecret()];
      await requireRoom(tx, userId);
      await tx.query(
        `insert into webhook_subscription (id, user_id, url, description, events, status, secret, created_at, updated_at)
         values ($1, $2, $3, $4, $5, 'active', $6, $7, $7)`,
        [id, userId, receiver, description ?? null, events, this.secrets.seal(id, secret), this.clock.now()],
      );
      return { subscription: await this.queries.lock(tx, userId, id), secret };
    });
  }

  /** What is left out stays. Activated again, it counts as never having failed. Throws VALIDATION_ERROR. */
  async change(userId: string, id: string, wanted: ChangeWebhookRequest): Promise<Subscription> {
    const url = wanted.url === undefined ? undefined : await this.permitted(wanted.url);
    return this.unitOfWork.runInTransaction(async (tx) => {
      const before = await this.queries.lock(tx, userId, id);
      const status = wanted.status ?? before.status;
      const isNews = status !== before.status;
      await tx.query(
        `update webhook_subscription
            set url = $2, description = $3, events = $4, status = $5, disabled_reason = $6, failing_since = $7,
                updated_at = $8
          where id = $1`,
        [
          id,
          url ?? before.url,
          wanted.description ?? before.description,
          wanted.events ?? before.events,
          status,
          isNews ? (status === 'disabled' ? 'user' : null) : before.disabledReason,
          isNews ? null : before.failingSince,
          this.clock.now(),
        ],
      );
      return this.queries.lock(tx, userId, id);
    });
  }

  /** Its deliveries go with it: first, so that facts wait for the subscription's own row no longer than they must. */
  async delete(userId: string, id: string): Promise<void> {
    await this.unitOfWork.runInTransaction(async (tx) => {
      await this.queries.lock(tx, userId, id);
      await tx.query('delete from webhook_delivery where subscription_id = $1', [id]);
      await tx.query('delete from webhook_subscription where id = $1', [id]);
    });
  }

  /** For a day the secret that there was signs beside the new one. */
  async rotateSecret(userId: string, id: string): Promise<WithSecret> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      await this.queries.lock(tx, userId, id);
      const [secret, now] = [newSecret(), this.clock.now()];
      await tx.query(
        `update webhook_subscription
            set previous_secret = secret, previous_until = $3, secret = $2, updated_at = $4
          where id = $1`,
        [id, this.secrets.seal(id, secret), new Date(now.getTime() + PREVIOUS_SECRET_MS), now],
      );
      return { subscription: await this.queries.lock(tx, userId, id), secret };
    });
  }

  /** Throws INVALID_STATE when it is disabled. */
  async test(userId: string, id: string): Promise<Delivery> {
    return this.soon(userId, id, async (tx) =>
      this.queries.delivery(tx, id, await this.outbox.add(tx, id, testEvent(id, this.clock.now()))),
    );
  }

  /** From the first attempt on, whatever became of it. Throws INVALID_STATE, WEBHOOK_DELIVERY_NOT_FOUND. */
  async redeliver(userId: string, id: string, deliveryId: string): Promise<Delivery> {
    return this.soon(userId, id, async (tx) => {
      await this.queries.delivery(tx, id, deliveryId);
      await tx.query(
        `update webhook_delivery
            set status = 'pending', attempts = 0, due_at = $2, settled_at = null, response_status = null,
                failure = null, duration_ms = null
          where id = $1`,
        [deliveryId, this.clock.now()],
      );
      return this.queries.delivery(tx, id, deliveryId);
    });
  }

  /** Something that makes a delivery due; it is sent once that is committed. */
  private async soon(userId: string, id: string, work: (tx: Tx) => Promise<Delivery>): Promise<Delivery> {
    const delivery = await this.unitOfWork.runInTransaction(async (tx) => {
      const { status } = await this.queries.lock(tx, userId, id);
      if (status === 'disabled') fail('INVALID_STATE', { status, action: 'send', allowedFrom: ['active'] });
      return work(tx);
    });
    setImmediate(() => this.worker.kick());
    return delivery;
  }

  /** The URL in its canonical form. */
  private async permitted(url: string): Promise<string> {
    try {
      await this.receivers.addressesOf(url);
    } catch (error) {
      if (!(error instanceof ReceiverRefused)) throw error;
      fail('VALIDATION_ERROR', [{ field: 'url', message: error.message }]);
    }
    return new URL(url).href;
  }
}

/** Two at once can not both be the tenth. */
async function requireRoom(tx: Tx, userId: string): Promise<void> {
  await tx.query('select from platform_user where id = $1 for no key update', [userId]);
  const [row] = await tx.query<{ count: number }[]>(
    'select count(*)::int as count from webhook_subscription where user_id = $1',
    [userId],
  );
  if (row && row.count >= MOST_OF_A_USER)
    fail('VALIDATION_ERROR', [{ field: 'url', message: `is one more than the ${MOST_OF_A_USER} of a user` }]);
}
