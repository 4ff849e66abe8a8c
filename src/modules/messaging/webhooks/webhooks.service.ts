import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../events/domain-events.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import { Clock } from '../../../common/clock.js';
import { DAY_MS } from '../../../common/durations.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { newId } from '../../../common/ids.js';
import type { UserPrincipal } from '../../../http/auth/principal.js';
import type { Rows } from '../../../http/request/pagination.js';
import { Jobs } from '../../../jobs/jobs.service.js';
import { SessionsService } from '../../identity/auth/sessions.service.js';
import type { SecurityEvent } from '../../identity/users/users.types.js';
import { UserAccountsService } from '../../identity/users/user-accounts.service.js';
import { DELIVERIES } from './deliveries.job.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { testEvent } from './domain/event-payloads.js';
import type { ChangeWebhookRequest, DeliveriesQuery, SubscribeRequest } from './dto/webhooks.request.js';
import type { WebhookDelivery, WebhookSubscription } from './entities/webhook.entity.js';
import { ReceiverRefused, ReceiversService } from './receivers.service.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import { newSecret, SecretEncryptionService } from './secret-encryption.service.js';
import { WebhooksRepository, type DisabledSubscription } from './webhooks.repository.js';

const MAX_PER_USER = 10;
const PREVIOUS_SECRET_MS = DAY_MS;

type SubscriberSession = Pick<UserPrincipal, 'id' | 'sessionId'>;

/** A subscription with its secret in plain text, which only the responses to creation and rotation contain. */
export interface SubscriptionWithSecret {
  readonly subscription: WebhookSubscription;
  readonly secret: string;
}

/** Users' subscriptions. Methods with the `id` of one throw WEBHOOK_NOT_FOUND, or PERMISSION_DENIED if another user owns it. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly subscriptions: WebhooksRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly receivers: ReceiversService,
    private readonly encryption: SecretEncryptionService,
    private readonly jobs: Jobs,
    private readonly accounts: UserAccountsService,
    private readonly sessions: SessionsService,
    private readonly domainEvents: DomainEvents,
  ) {}

  /** For the erasure of a user. */
  async deleteSubscriptionsOfUser(tx: Tx, userId: string): Promise<void> {
    await this.subscriptions.deleteSubscriptionsOfUser(tx, userId);
  }

  /** Disables a user's active webhooks, because their receivers may belong to the owner of the former e-mail address. */
  disableAllForChangedEmail(tx: Tx, userId: string): Promise<DisabledSubscription[]> {
    return this.subscriptions.disableSubscriptionsOfUser(tx, userId, 'email-changed', this.clock.now());
  }

  listSubscriptions(userId: string): Promise<WebhookSubscription[]> {
    return this.subscriptions.findSubscriptionsOfUser(userId);
  }

  async getSubscription(userId: string, id: string): Promise<WebhookSubscription> {
    return requireOwner(await this.subscriptions.findSubscription(id), userId);
  }

  /**
   * Throws VALIDATION_ERROR for a URL that must not be called, and above the maximum number of subscriptions per user, and
   * TOKEN_INVALID if the session was revoked since the request was authenticated.
   */
  async createSubscription(
    { id: userId, sessionId }: SubscriberSession,
    { url, events, description = null }: SubscribeRequest,
    requireStepUp: StepUpCheck,
  ): Promise<SubscriptionWithSecret> {
    const canonicalUrl = await this.requirePermittedUrl(url);
    return this.unitOfWork.runInTransaction(async (tx) => {
      const id = newId();
      const secret = newSecret();
      const now = this.clock.now();
      // The lock of the user serialises concurrent requests, so that they cannot exceed the limit together.
      await this.lockUserOfOpenSession(tx, userId, sessionId);
      await requireStepUp(tx, { url });
      if ((await this.subscriptions.countSubscriptions(tx, userId)) >= MAX_PER_USER) failTooMany();
      const subscription: WebhookSubscription = {
        id,
        userId,
        url: canonicalUrl,
        description,
        events,
        status: 'active',
        disabledReason: null,
        secret: this.encryption.encrypt(id, secret),
        previousSecret: null,
        previousSecretUntil: null,
        failingSince: null,
        createdAt: now,
        updatedAt: now,
      };
      await this.subscriptions.insertSubscription(tx, subscription);
      await this.emitEvent(tx, 'created', subscription);
      return { subscription, secret };
    });
  }

  /**
   * Absent fields keep their values. A change of the status clears `failingSince`. Throws VALIDATION_ERROR for a URL that
   * must not be called, and TOKEN_INVALID as `createSubscription` does.
   */
  async changeSubscription(
    { id: userId, sessionId }: SubscriberSession,
    id: string,
    request: ChangeWebhookRequest,
    requireStepUp: StepUpCheck,
  ): Promise<WebhookSubscription> {
    const url = request.url === undefined ? undefined : await this.requirePermittedUrl(request.url);
    return this.unitOfWork.runInTransaction(async (tx) => {
      await this.lockUserOfOpenSession(tx, userId, sessionId);
      const before = await this.lockOwn(tx, userId, id);
      await requireStepUp(tx, { url: request.url ?? before.url });
      const { status = before.status, description = before.description, events = before.events } = request;
      const disabledReason = status === 'disabled' ? ('user' as const) : null;
      const statusChanges = status === before.status ? {} : { status, disabledReason, failingSince: null };
      const changes = { url: url ?? before.url, description, events, ...statusChanges };
      const after = await this.update(tx, before, changes);
      if (deliversDifferently(before, after)) await this.emitEvent(tx, 'changed', after);
      return after;
    });
  }

  /** Deletes the subscription last: from then until the commit, transactions that insert deliveries for it have to wait. */
  async deleteSubscription(userId: string, id: string, requireStepUp: StepUpCheck): Promise<void> {
    await this.unitOfWork.runInTransaction(async (tx) => {
      const subscription = await this.lockOwn(tx, userId, id);
      await requireStepUp(tx, { url: subscription.url });
      await this.deliveries.deleteDeliveriesOf(tx, id);
      await this.subscriptions.deleteSubscription(tx, id);
      await this.emitEvent(tx, 'removed', subscription);
    });
  }

  /** For 24 hours deliveries are signed with the previous secret, too. A rotation within that time drops the oldest secret. */
  async rotateSecret(
    userId: string,
    id: string,
    requireStepUp: StepUpCheck,
  ): Promise<SubscriptionWithSecret> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const before = await this.lockOwn(tx, userId, id);
      await requireStepUp(tx, { url: before.url });
      const secret = newSecret();
      const subscription = await this.update(tx, before, {
        secret: this.encryption.encrypt(id, secret),
        previousSecret: before.secret,
        previousSecretUntil: new Date(this.clock.now().getTime() + PREVIOUS_SECRET_MS),
      });
      await this.emitEvent(tx, 'changed', subscription);
      return { subscription, secret };
    });
  }

  async listDeliveries(userId: string, id: string, query: DeliveriesQuery): Promise<Rows<WebhookDelivery>> {
    await this.getSubscription(userId, id);
    return this.deliveries.findDeliveries(id, query);
  }

  /** Throws INVALID_STATE if the subscription is disabled. */
  async sendTestEvent(userId: string, id: string): Promise<WebhookDelivery> {
    return this.scheduleDelivery(userId, id, (tx) =>
      this.deliveries.insertDelivery(tx, id, testEvent(id, this.clock.now()), this.clock.now()),
    );
  }

  /**
   * Makes a delivery of any status due again and counts its attempts anew. Throws INVALID_STATE if the subscription is
   * disabled, and WEBHOOK_DELIVERY_NOT_FOUND.
   */
  async redeliver(userId: string, id: string, deliveryId: string): Promise<WebhookDelivery> {
    return this.scheduleDelivery(userId, id, async (tx) => {
      const delivery = await this.deliveries.findDelivery(tx, id, deliveryId);
      return delivery
        ? this.deliveries.resetDelivery(tx, delivery, this.clock.now())
        : throwError('WEBHOOK_DELIVERY_NOT_FOUND');
    });
  }

  /** Runs `makeDue`, which makes a delivery due, in a transaction. Wakes the job after the commit and the response. */
  private async scheduleDelivery(
    userId: string,
    id: string,
    makeDue: (tx: Tx) => Promise<WebhookDelivery>,
  ): Promise<WebhookDelivery> {
    const delivery = await this.unitOfWork.runInTransaction(async (tx) => {
      const { status } = await this.lockOwn(tx, userId, id);
      if (status === 'disabled')
        throwError('INVALID_STATE', { status, action: 'send', allowedFrom: ['active'] });
      return makeDue(tx);
    });
    setImmediate(() => this.jobs.get(DELIVERIES).wake());
    return delivery;
  }

  /** A change of the e-mail address, which disables webhooks, may have revoked the session while this transaction waited. */
  private async lockUserOfOpenSession(tx: Tx, userId: string, sessionId: string): Promise<void> {
    await this.accounts.lockIfExists(tx, userId);
    await this.sessions.requireOpenSession(tx, sessionId);
  }

  private async lockOwn(tx: Tx, userId: string, id: string): Promise<WebhookSubscription> {
    return requireOwner(await this.subscriptions.lockSubscription(tx, id), userId);
  }

  private async emitEvent(
    tx: Tx,
    change: 'created' | 'changed' | 'removed',
    { userId, url: webhookUrl }: WebhookSubscription,
  ): Promise<void> {
    const event = { userId, at: this.clock.now(), webhookUrl };
    await this.domainEvents.emit<SecurityEvent>(tx, { name: `security.webhook-${change}`, ...event });
  }

  /** Also sets `updatedAt`. */
  private async update(
    tx: Tx,
    before: WebhookSubscription,
    changes: Partial<WebhookSubscription>,
  ): Promise<WebhookSubscription> {
    const timedChanges = { ...changes, updatedAt: this.clock.now() };
    await this.subscriptions.updateSubscription(tx, before.id, timedChanges);
    return { ...before, ...timedChanges };
  }

  /** Returns the URL in its canonical form. Throws VALIDATION_ERROR if it must not be called. */
  private async requirePermittedUrl(url: string): Promise<string> {
    try {
      await this.receivers.resolveReceiver(url);
    } catch (error) {
      if (!(error instanceof ReceiverRefused)) throw error;
      throwError('VALIDATION_ERROR', [{ field: 'url', message: error.message }]);
    }
    return new URL(url).href;
  }
}

/** False if at most the description differs. */
function deliversDifferently(before: WebhookSubscription, after: WebhookSubscription): boolean {
  const relevant = ({ url, status, events }: WebhookSubscription) => JSON.stringify([url, status, events]);
  return relevant(before) !== relevant(after);
}

function requireOwner(subscription: WebhookSubscription | null, userId: string): WebhookSubscription {
  if (!subscription) return throwError('WEBHOOK_NOT_FOUND');
  if (subscription.userId !== userId) throwError('PERMISSION_DENIED');
  return subscription;
}

function failTooMany(): never {
  const message = `exceeds the limit of ${MAX_PER_USER} webhooks per user; delete one first`;
  throwError('VALIDATION_ERROR', [{ field: 'url', message }]);
}
