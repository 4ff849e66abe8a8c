import type { NotificationContent } from '../notifications/notifications.types.js';

/** `user`: by its owner; `gone`: its receiver has answered 410; `failing`: for days nothing arrived. */
export const DISABLED_REASONS = ['user', 'gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** What the owner is told of a subscription that the service has ended. */
export function disabledNote(webhookId: string, url: string, reason: DisabledReason): NotificationContent {
  const why =
    reason === 'gone'
      ? 'it has answered 410 Gone.'
      : 'it has not accepted an event for three days. What waits is sent when you activate it again.';
  return {
    type: 'system',
    category: 'platform',
    priority: 'high',
    title: 'Webhook disabled',
    message: `No more events are sent to ${new URL(url).host}: ${why}`,
    actionUrl: '/settings/webhooks',
    metadata: { webhookId, reason },
  };
}
