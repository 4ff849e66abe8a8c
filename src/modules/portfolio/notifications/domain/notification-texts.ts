import type { Language } from '../../../../common/message-texts.js';
import type { LocalisedContent, NotificationContent } from '../notifications.types.js';
import { ACCESS_KINDS } from './access-kinds.js';
import { INVESTMENT_KINDS } from './investment-kinds.js';
import type { NotificationKind, NotificationText } from './notification-kind.js';
import { PAYMENT_KINDS } from './payment-kinds.js';
import { SECURITY_KINDS } from './security-kinds.js';

const KINDS = { ...PAYMENT_KINDS, ...INVESTMENT_KINDS, ...SECURITY_KINDS, ...ACCESS_KINDS };

export type TextKind = keyof typeof KINDS;
/** The values that the texts of each kind name. */
export type TextValues = {
  [Kind in TextKind]: (typeof KINDS)[Kind] extends NotificationKind<infer Values> ? Values : never;
};

export const NOTIFICATION_KINDS: { readonly [Kind in TextKind]: NotificationKind<TextValues[Kind]> } = KINDS;

/** A notification with the text of `kind` in the language of its user. */
export function contentOf<Kind extends TextKind>(
  kind: Kind,
  values: TextValues[Kind],
  fields: Omit<NotificationContent, 'priority' | 'title' | 'message'>,
): LocalisedContent {
  const { priority, textsOf } = NOTIFICATION_KINDS[kind];
  return (language) => {
    const [title, message] = textsOf(values)[language];
    return { ...fields, priority, title, message };
  };
}

/** The text of a notification that stands for `count` events, from the text of the last one. */
export function textOfSeveral(
  language: Language,
  [title, message]: NotificationText,
  count: number,
): NotificationText {
  const texts: Record<Language, NotificationText> = {
    en: [`${title}: ${count} more`, `${count} more within ten minutes. The last one: ${message}`],
    de: [`${title}: ${count} weitere`, `${count} weitere innerhalb von zehn Minuten. Zuletzt: ${message}`],
  };
  return texts[language];
}
