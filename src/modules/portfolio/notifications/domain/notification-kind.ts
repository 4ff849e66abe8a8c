import type { Language } from '../../../../common/message-texts.js';
import type { Priority } from '../notifications.types.js';

export type NotificationText = readonly [title: string, message: string];

/** A kind of notification: everything that its definition says. */
export interface NotificationKind<Values> {
  readonly priority: Priority;
  /** The title and the message in each language. No value is a text of a provider. */
  readonly textsOf: (values: Values) => Readonly<Record<Language, NotificationText>>;
}

export function kind<Values extends object = object>(
  priority: Priority,
  textsOf: NotificationKind<Values>['textsOf'],
): NotificationKind<Values> {
  return { priority, textsOf };
}

// Phrases of several kinds.

export const AVAILABLE = { en: 'The amount is available again.', de: 'Der Betrag ist wieder verfügbar.' };

export const SUPPORT = { en: 'write to our support', de: 'schreiben Sie bitte unserem Support' };

export const END_SESSIONS = {
  en: `If it was not you, end your other sessions and ${SUPPORT.en}.`,
  de: `Wenn Sie das nicht waren, beenden Sie Ihre anderen Sitzungen und ${SUPPORT.de}.`,
};

/** The reason of an admin. */
export const because = {
  en: (reason: string | null) => reason && `Reason: ${reason}`,
  de: (reason: string | null) => reason && `Begründung: ${reason}`,
};
