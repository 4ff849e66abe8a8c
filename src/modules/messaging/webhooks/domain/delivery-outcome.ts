import { jitteredDelayMs } from '../../../../common/retry-delay.js';
import type { WebhookDelivery } from '../entities/webhook-delivery.entity.js';
import type { WebhookSubscription } from '../entities/webhook-subscription.entity.js';
import type { Attempt } from '../webhooks.types.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../common/durations.js';

/** The delays that Standard Webhooks recommends: ten attempts within about three days. */
const RETRY_DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
const MAX_FAILING_MS = 3 * DAY_MS;
const GONE = 410;

/** The delay after this many failed attempts, plus up to a tenth at random; undefined after the last attempt. */
export function retryDelayMs(attempts: number, random = Math.random()): number | undefined {
  return jitteredDelayMs(RETRY_DELAYS_MS, attempts, random);
}

type Outcome = Pick<WebhookDelivery, 'status' | 'dueAt' | 'settledAt' | keyof Attempt>;

/** The state of a delivery after its `attempts`-th attempt. */
export function deliveryAfter(attempt: Attempt, attempts: number, now: Date): Outcome {
  const canRetry = attempt.failure !== null && attempt.responseStatus !== GONE;
  const delayMs = canRetry ? retryDelayMs(attempts) : undefined;
  if (delayMs !== undefined)
    return { ...attempt, status: 'pending', dueAt: new Date(now.getTime() + delayMs), settledAt: null };
  const status = attempt.failure === null ? 'delivered' : 'dead';
  return { ...attempt, status, dueAt: now, settledAt: now };
}

/** The state of a subscription after an attempt. `disabledReason` is null if an active subscription stays active. */
export function subscriptionAfter(
  attempt: Attempt,
  before: Pick<WebhookSubscription, 'failingSince'>,
  now: Date,
): { failingSince: Date | null; disabledReason: 'gone' | 'failing' | null } {
  const failingSince = attempt.failure === null ? null : (before.failingSince ?? now);
  const isFailing = failingSince !== null && now.getTime() - failingSince.getTime() >= MAX_FAILING_MS;
  if (attempt.responseStatus === GONE) return { failingSince, disabledReason: 'gone' };
  return { failingSince, disabledReason: isFailing ? 'failing' : null };
}
