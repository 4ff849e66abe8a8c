import type { AddressEvent } from '../../addresses/address.events.js';
import type { ApiKeyEvent } from '../../api-keys/api-key.events.js';
import type { EmailChangedEvent, SecurityEvent } from '../../users/security.events.js';
import type { NotificationContent, Priority } from '../notifications.types.js';
import { notificationContent, type NotificationText } from './notification-texts.js';

// Notifications about the security of an account.

const PRIORITIES_AND_TITLES: Record<SecurityEvent['name'], readonly [Priority, string] | undefined> = {
  'security.new-device': ['high', 'Sign-in from a new device'],
  'security.new-identity': ['critical', 'Sign-in with a new identity'],
  'security.status-changed': ['critical', 'Account status changed'],
  'security.wallet-linked': ['high', 'Wallet linked'],
  'security.wallet-unlinked': ['high', 'Wallet unlinked'],
  'security.wallet-suspended': ['high', 'Wallet suspended'],
  'security.email-off': ['high', 'E-mail switched off'],
  'security.webhook-created': ['high', 'Webhook created'],
  'security.webhook-changed': ['high', 'Webhook changed'],
  'security.webhook-removed': ['high', 'Webhook removed'],
  'security.webhook-disabled': undefined, // the module subscriptions inserts the notification, as for other reasons
};

export function securityNotification({
  name,
  detail,
  isKnownDevice,
}: SecurityEvent): NotificationContent | undefined {
  const text = PRIORITIES_AND_TITLES[name];
  if (!text) return undefined;
  const [priority, titleOfName] = text;
  const title = isKnownDevice ? 'Sign-in from a new network' : titleOfName;
  return securityContent([priority, title, detail], { event: name });
}

export function emailChangedNotification({ name }: EmailChangedEvent): NotificationContent {
  const message =
    'The e-mail address of your account was changed. Your sessions have ended, your wallets are suspended, your API keys are ' +
    'revoked and your webhooks are disabled. If you have not asked for it, write to our support.';
  return securityContent(['high', 'E-mail address changed', message], { event: name });
}

export function addressNotification({ name, label, address }: AddressEvent): NotificationContent {
  const text: NotificationText =
    name === 'address.added'
      ? [
          'high',
          'Withdrawal address added',
          `The address ${address} was added to your address book as "${label}". ` +
            'If it was not you, remove it, end your other sessions and write to our support.',
        ]
      : [
          'high',
          'Withdrawal address removed',
          `The address ${address}, "${label}", was removed from your address book. ` +
            'If it was not you, end your other sessions and write to our support.',
        ];
  return securityContent(text, { event: name });
}

/** Shows the name and the prefix of the key. The prefix identifies the key to its owner and gives no access. */
export function apiKeyNotification(event: ApiKeyEvent): NotificationContent {
  const { name, prefix, address } = event;
  const metadata = { event: name, prefix, ...(address === null ? {} : { address }) };
  return securityContent(apiKeyText(event), metadata);
}

function apiKeyText({ name, keyName, prefix, address }: ApiKeyEvent): NotificationText {
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

function securityContent(
  text: NotificationText,
  metadata: NotificationContent['metadata'],
): NotificationContent {
  return notificationContent('security', 'account', text, '/settings/security', metadata);
}
