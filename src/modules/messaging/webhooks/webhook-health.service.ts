import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { DAY_MS, HOUR_MS } from '../../../common/durations.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import { DomainEvents } from '../../../events/domain-events.js';
import { Job } from '../../../jobs/job.decorator.js';
import { webhookDisabledNotification } from '../../portfolio/notifications/domain/notifications.js';
import type { WebhookFault } from '../../portfolio/notifications/domain/access-kinds.js';
import { NotificationsService } from '../../portfolio/notifications/notifications.service.js';
import type { SecurityEvent } from '../../identity/users/users.types.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import type { WebhookSubscription } from './entities/webhook.entity.js';
import { WebhooksRepository } from './webhooks.repository.js';
import { GONE, type Attempt } from './webhooks.types.js';

const MAX_FAILING_MS = 3 * DAY_MS;
const MAX_WAITING_PER_USER = 1000;
/** A webhook is not disabled for its backlog until this time after its last change: activated again, it still has its old deliveries. */
const GRACE_MS = HOUR_MS;

/** Disables subscriptions whose receivers are gone, have failed for too long, or leave too many deliveries waiting. */
@Injectable()
export class WebhookHealthService {
  constructor(
    private readonly subscriptions: WebhooksRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly notifications: NotificationsService,
    private readonly domainEvents: DomainEvents,
  ) {}

  /** Records the first failure since a success, and disables a subscription that is gone or has failed for too long. */
  async recordAttempt(tx: Tx, before: WebhookSubscription, attempt: Attempt): Promise<void> {
    const { failingSince, disabledReason } = subscriptionAfter(attempt, before, this.clock.now());
    if (disabledReason !== null && before.status === 'active')
      await this.disable(tx, { ...before, failingSince }, disabledReason);
    else if (failingSince?.getTime() !== before.failingSince?.getTime())
      await this.subscriptions.updateSubscription(tx, before.id, { failingSince });
  }

  /** Runs apart from the consumer that inserts deliveries, so that no event waits for the count. */
  @Job({
    name: 'webhook-backlogs',
    purpose: 'Disables a webhook of each user for whom more than 1,000 deliveries wait',
    everySeconds: 30, // a run takes a second if a million deliveries wait
    exclusive: true,
  })
  async disableBacklogs(stopping: AbortSignal): Promise<void> {
    const unchangedSince = new Date(this.clock.now().getTime() - GRACE_MS);
    const userIds = await this.deliveries.findUsersWithBacklog(MAX_WAITING_PER_USER, unchangedSince);
    for (const userId of userIds) {
      if (stopping.aborted) return;
      await this.unitOfWork.runInNewTransaction(async (tx) => {
        const slowest = await this.subscriptions.lockSlowest(tx, userId, unchangedSince);
        if (!slowest) return;
        await this.disable(tx, slowest, 'backlog');
        await this.domainEvents.emit<SecurityEvent>(tx, {
          name: 'security.webhook-disabled',
          userId,
          at: this.clock.now(),
          webhookUrl: slowest.url,
        });
      });
    }
  }

  private async disable(
    tx: Tx,
    { id, userId, url, failingSince }: WebhookSubscription,
    reason: WebhookFault,
  ): Promise<void> {
    const now = this.clock.now();
    await this.subscriptions.updateSubscription(tx, id, {
      status: 'disabled',
      disabledReason: reason,
      failingSince,
      updatedAt: now,
    });
    const content = webhookDisabledNotification({ id, url }, reason);
    await this.notifications.insertNotification(tx, userId, now, content);
  }
}

/** The state of a subscription after an attempt. `disabledReason` is null if an active subscription stays active. */
function subscriptionAfter(
  attempt: Attempt,
  before: Pick<WebhookSubscription, 'failingSince'>,
  now: Date,
): { failingSince: Date | null; disabledReason: 'gone' | 'failing' | null } {
  const failingSince = attempt.failure === null ? null : (before.failingSince ?? now);
  const isFailing = failingSince !== null && now.getTime() - failingSince.getTime() >= MAX_FAILING_MS;
  if (attempt.responseStatus === GONE) return { failingSince, disabledReason: 'gone' };
  return { failingSince, disabledReason: isFailing ? 'failing' : null };
}
