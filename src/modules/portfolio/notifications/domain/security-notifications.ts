import { timeText } from '../../../../common/message-texts.js';
import type { AddressEvent } from '../../../funds/addresses/address.events.js';
import type { ApiKeyEvent } from '../../../identity/api-keys/domain/api-key.js';
import type { EmailChangedEvent, SecurityEvent } from '../../../identity/users/users.types.js';
import type { LocalisedContent, NotificationMetadata } from '../notifications.types.js';
import type { WebhookFault } from './access-kinds.js';
import { contentOf, type TextKind, type TextValues } from './notification-texts.js';

// Notifications about the security of an account, and about its webhooks.

/** No notification for a webhook that was disabled: the module webhooks inserts one, whatever the reason. */
export function securityNotification(event: SecurityEvent): LocalisedContent | undefined {
  const { name, isKnownDevice, holdUntil, webhookUrl } = event;
  if (name === 'security.webhook-disabled') return undefined;
  const kind = isKnownDevice ? 'security.new-network' : name;
  // The event has the values that the texts of its kind name; the texts do not name those with a default here.
  const values = {
    device: event.device ?? null,
    network: event.network ?? '',
    holdUntil: holdUntil ? timeText(holdUntil) : null,
    status: event.status ?? 'active',
    reason: event.reason ?? null,
    wallet: event.wallet ?? '',
    host: webhookUrl === undefined ? '' : new URL(webhookUrl).host,
    factor: event.factor ?? 'passkey',
    tier: event.tier ?? '',
  };
  return securityContent(kind, values, { event: name });
}

export function emailChangedNotification({ name }: EmailChangedEvent): LocalisedContent {
  return securityContent(name, {}, { event: name });
}

export function addressNotification({ name, label, address }: AddressEvent): LocalisedContent {
  return securityContent(name, { label, address }, { event: name });
}

/** Shows the name and the prefix of the key. The prefix identifies the key to its owner and gives no access. */
export function apiKeyNotification({ name, keyName, prefix, address }: ApiKeyEvent): LocalisedContent {
  const metadata = { event: name, prefix, ...(address === null ? {} : { address }) };
  return securityContent(name, { keyName, prefix, address: address ?? '' }, metadata);
}

/** The notification about a webhook that the platform has disabled. */
export function webhookDisabledNotification(
  { id, url }: { readonly id: string; readonly url: string },
  fault: WebhookFault,
): LocalisedContent {
  return contentOf(
    'webhook.disabled',
    { host: new URL(url).host, fault },
    {
      type: 'system',
      category: 'platform',
      actionUrl: '/settings/webhooks',
      metadata: { webhookId: id, reason: fault },
    },
  );
}

function securityContent<Kind extends TextKind>(
  kind: Kind,
  values: TextValues[Kind],
  metadata: NotificationMetadata,
): LocalisedContent {
  const fields = { type: 'security', category: 'account', actionUrl: '/settings/security' } as const;
  return contentOf(kind, values, { ...fields, metadata });
}
