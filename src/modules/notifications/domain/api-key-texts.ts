import type { ApiKeyEvent } from '../../api-keys/api-key.events.js';
import type { NotificationContent } from '../notifications.types.js';
import { content, type Text } from './notification-texts.js';

/** The prefix is enough to recognise the key and useless without the rest of it. */
export function apiKeyNotification(event: ApiKeyEvent): NotificationContent {
  const { name, prefix, address } = event;
  const metadata = { event: name, prefix, ...(address === null ? {} : { address }) };
  return content('security', 'account', apiKeyText(event), '/settings/security', metadata);
}

function apiKeyText({ name, keyName, prefix, address }: ApiKeyEvent): Text {
  const key = `The API key "${keyName}" (${prefix}…)`;
  switch (name) {
    case 'api-key.created':
      return ['high', 'API key created', `${key} was created. Revoke it if you did not create it.`];
    case 'api-key.revoked':
      return ['high', 'API key revoked', `${key} was revoked. It is refused from now on.`];
    case 'api-key.used-from-new-network':
      return [
        'high',
        'API key used from a new network address',
        `${key} was used from ${address} for the first time. Revoke it if you do not know this address.`,
      ];
  }
}
