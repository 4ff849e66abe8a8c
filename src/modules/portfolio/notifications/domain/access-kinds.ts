import type { Language } from '../../../../common/message-texts.js';
import { END_SESSIONS, SUPPORT, kind } from './notification-kind.js';

interface NamedKey {
  keyName: string;
  prefix: string;
}

/** Why a webhook was disabled. */
export type WebhookFault = 'gone' | 'failing' | 'backlog';

const FAULTS = {
  en: {
    gone: 'it has answered 410 Gone.',
    failing:
      'it has not accepted an event for three days. Undelivered events are sent when you activate the webhook again.',
    backlog:
      'more than 1,000 events for your webhooks wait, and this webhook fails or delays them for longest. They are sent when you ' +
      'activate the webhook again.',
  },
  de: {
    gone: 'Er hat mit 410 Gone geantwortet.',
    failing:
      'Er hat seit drei Tagen kein Ereignis angenommen. Nicht zugestellte Ereignisse werden gesendet, wenn Sie den Webhook wieder einschalten.',
    backlog:
      'Mehr als 1.000 Ereignisse warten auf Ihre Webhooks, und dieser lässt sie am längsten scheitern oder verzögert sie. ' +
      'Die Ereignisse werden gesendet, wenn Sie den Webhook wieder einschalten.',
  },
} satisfies Record<Language, Record<WebhookFault, string>>;

/** Notifications about webhooks, API keys, the address book and the e-mail address. */
export const ACCESS_KINDS = {
  'webhook.disabled': kind<{ host: string; fault: WebhookFault }>('high', ({ host, fault }) => ({
    en: ['Webhook disabled', `No more events are sent to ${host}: ${FAULTS.en[fault]}`],
    de: ['Webhook abgeschaltet', `An ${host} werden keine Ereignisse mehr gesendet. ${FAULTS.de[fault]}`],
  })),
  'security.webhook-created': kind<{ host: string }>('high', ({ host }) => ({
    en: ['Webhook created', `A webhook to ${host} was created. ${END_SESSIONS.en}`],
    de: ['Webhook erstellt', `Ein Webhook an ${host} wurde erstellt. ${END_SESSIONS.de}`],
  })),
  'security.webhook-changed': kind<{ host: string }>('high', ({ host }) => ({
    en: ['Webhook changed', `A webhook to ${host} was changed. ${END_SESSIONS.en}`],
    de: ['Webhook geändert', `Ein Webhook an ${host} wurde geändert. ${END_SESSIONS.de}`],
  })),
  'security.webhook-removed': kind<{ host: string }>('high', ({ host }) => ({
    en: ['Webhook removed', `A webhook to ${host} was removed. ${END_SESSIONS.en}`],
    de: ['Webhook gelöscht', `Ein Webhook an ${host} wurde gelöscht. ${END_SESSIONS.de}`],
  })),
  'email.changed': kind('high', () => ({
    en: [
      'E-mail address changed',
      'The e-mail address of your account was changed. Your sessions have ended, your wallets are suspended, your API keys are ' +
        `revoked and your webhooks are disabled. If you have not asked for it, ${SUPPORT.en}.`,
    ],
    de: [
      'E-Mail-Adresse geändert',
      'Die E-Mail-Adresse Ihres Kontos wurde geändert. Ihre Sitzungen sind beendet, Ihre Wallets gesperrt, Ihre API-Schlüssel ' +
        `widerrufen und Ihre Webhooks abgeschaltet. Wenn Sie das nicht veranlasst haben, ${SUPPORT.de}.`,
    ],
  })),
  'address.added': kind<{ address: string; label: string }>('high', ({ address, label }) => ({
    en: [
      'Withdrawal address added',
      `The address ${address} was added to your address book as "${label}". ` +
        `If it was not you, remove it, end your other sessions and ${SUPPORT.en}.`,
    ],
    de: [
      'Auszahlungsadresse hinzugefügt',
      `Die Adresse ${address} wurde als „${label}“ zu Ihrem Adressbuch hinzugefügt. ` +
        `Wenn Sie das nicht waren, entfernen Sie sie, beenden Sie Ihre anderen Sitzungen und ${SUPPORT.de}.`,
    ],
  })),
  'address.removed': kind<{ address: string; label: string }>('high', ({ address, label }) => ({
    en: [
      'Withdrawal address removed',
      `The address ${address}, "${label}", was removed from your address book. ${END_SESSIONS.en}`,
    ],
    de: [
      'Auszahlungsadresse entfernt',
      `Die Adresse ${address}, „${label}“, wurde aus Ihrem Adressbuch entfernt. ${END_SESSIONS.de}`,
    ],
  })),
  'api-key.created': kind<NamedKey>('high', ({ keyName, prefix }) => ({
    en: [
      'API key created',
      `The API key "${keyName}" (${prefix}…) was created. Revoke it if you did not create it.`,
    ],
    de: [
      'API-Schlüssel erstellt',
      `Der API-Schlüssel „${keyName}“ (${prefix}…) wurde erstellt. Widerrufen Sie ihn, wenn Sie ihn nicht erstellt haben.`,
    ],
  })),
  'api-key.revoked': kind<NamedKey>('high', ({ keyName, prefix }) => ({
    en: ['API key revoked', `The API key "${keyName}" (${prefix}…) was revoked. It is refused from now on.`],
    de: [
      'API-Schlüssel widerrufen',
      `Der API-Schlüssel „${keyName}“ (${prefix}…) wurde widerrufen. Er wird ab sofort abgelehnt.`,
    ],
  })),
  'api-key.used-from-new-network': kind<NamedKey & { address: string }>(
    'high',
    ({ keyName, prefix, address }) => ({
      en: [
        'API key used from a new network address',
        `The API key "${keyName}" (${prefix}…) was used from ${address} for the first time. Revoke it if you do not know this address.`,
      ],
      de: [
        'API-Schlüssel aus einem neuen Netzwerk verwendet',
        `Der API-Schlüssel „${keyName}“ (${prefix}…) wurde zum ersten Mal von ${address} aus verwendet. Widerrufen Sie ihn, wenn Sie diese Adresse nicht kennen.`,
      ],
    }),
  ),
};
