import type { Language } from '../../../../common/message-texts.js';
import type {
  NotificationLanguage,
  NotificationText,
  TextKind,
  TextValues,
} from '../notification-texts.types.js';
import type { LocalisedContent, NotificationContent, Priority } from '../notifications.types.js';
import { ENGLISH } from './english-texts.js';
import { GERMAN } from './german-texts.js';

const TEXTS: Readonly<Record<Language, NotificationLanguage>> = { en: ENGLISH, de: GERMAN };

export const PRIORITIES: Readonly<Record<TextKind, Priority>> = {
  'deposit.seen': 'low',
  'deposit.completed': 'high',
  'deposit.held': 'high',
  'deposit.covered': 'normal',
  'deposit.failed': 'high',
  'investment.requested': 'normal',
  'investment.created': 'normal',
  'investment.approved': 'normal',
  'investment.rejected': 'normal',
  'investment.cancelled': 'normal',
  'investment.partially-closed': 'normal',
  'investment.closed': 'normal',
  'investment.moved-from': 'normal',
  'investment.moved-into': 'normal',
  'withdrawal.requested': 'normal',
  'withdrawal.taken': 'normal',
  'withdrawal.completed': 'high',
  'withdrawal.cancelled': 'normal',
  'withdrawal.rejected': 'high',
  'withdrawal.failed': 'high',
  'withdrawal.released': 'high',
  'withdrawal-limit.held': 'high',
  'withdrawal-limit.released': 'normal',
  'booking.deposit': 'high',
  'booking.withdrawal': 'high',
  'booking.reversal': 'high',
  earnings: 'low',
  suspension: 'high',
  'webhook.disabled': 'high',
  'security.new-device': 'high',
  'security.new-network': 'high',
  'security.new-identity': 'critical',
  'security.status-changed': 'critical',
  'security.wallet-linked': 'high',
  'security.wallet-unlinked': 'high',
  'security.wallet-suspended': 'high',
  'security.email-off': 'high',
  'security.factor-added': 'high',
  'security.factor-removed': 'critical',
  'security.recovery-code-used': 'critical',
  'security.second-factor-failed': 'critical',
  'security.factors-reset': 'critical',
  'security.account-locked': 'critical',
  'security.account-unlocked': 'critical',
  'security.tier-changed': 'high',
  'security.webhook-created': 'high',
  'security.webhook-changed': 'high',
  'security.webhook-removed': 'high',
  'email.changed': 'high',
  'address.added': 'high',
  'address.removed': 'high',
  'api-key.created': 'high',
  'api-key.revoked': 'high',
  'api-key.used-from-new-network': 'high',
};

/** A notification with the text of `kind` in the language of its user. */
export function contentOf<Kind extends TextKind>(
  kind: Kind,
  values: TextValues[Kind],
  fields: Omit<NotificationContent, 'priority' | 'title' | 'message'>,
): LocalisedContent {
  return (language) => {
    const [title, message] = TEXTS[language].texts[kind](values);
    return { ...fields, priority: PRIORITIES[kind], title, message };
  };
}

export function textOfSeveral(language: Language, last: NotificationText, count: number): NotificationText {
  return TEXTS[language].several(last, count);
}
