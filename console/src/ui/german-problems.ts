import { phraseBook, type Phrases } from './phrases.ts';

/** What the service says about single fields of a request, and its German, both after the name of the field. */
export const PROBLEMS: Phrases = [
  ['is required', 'fehlt'],
  ['is missing', 'fehlt'],
  ['is missing in the header', 'fehlt in der Kopfzeile'],
  ['is needed for a {type}', 'fehlt'],
  ['is needed with the format {format}', 'fehlt'],
  ['is required with the status suspended', 'fehlt'],
  ['is required with email', 'fehlt'],
  ['must not be blank', 'darf nicht leer sein'],
  ['has characters that are not allowed', 'enthält Zeichen, die nicht erlaubt sind'],
  ['must be text of {least} to {most} characters', 'muss ein Text von {least} bis {most} Zeichen sein'],
  [
    'must be 1 to {count} characters on one line, without control characters or spaces around them',
    'muss aus 1 bis {count} Zeichen in einer Zeile bestehen, ohne Leerzeichen am Rand',
  ],
  [
    'must be 1 to {count} characters on one line, without control characters',
    'muss aus 1 bis {count} Zeichen in einer Zeile bestehen',
  ],
  [
    'must be one line of 1 to 500 characters that are not all spaces',
    'muss eine Zeile von 1 bis 500 Zeichen sein',
  ],
  ['must be one of {values}', 'muss eines davon sein: {values}'],
  ['must be a list of different scopes: {values}', 'müssen eine Auswahl davon sein: {values}'],
  ['must be a list of different events: {values}', 'müssen eine Auswahl davon sein: {values}'],
  [
    'must be a list of 1 to {count} networks such as 203.0.113.0/24 or 2001:db8::/32',
    'müssen 1 bis {count} Netze sein, etwa 203.0.113.0/24 oder 2001:db8::/32',
  ],
  ['must be in the future', 'muss in der Zukunft liegen'],
  [
    'must be a date from 1970 to 9999 such as 2026-01-31 or 2026-01-31T12:00:00Z',
    'muss ein Tag von 1970 bis 9999 sein, etwa 2026-01-31',
  ],
  ['The start date must not be after the end date.', 'darf nicht nach dem letzten Tag liegen'],
  [
    'must be a decimal string such as "10.00", with at most six decimals',
    'muss ein Betrag mit höchstens sechs Nachkommastellen sein, etwa 10,00',
  ],
  [
    'must be a decimal string above zero such as "10.00", with at most 18 digits before the point and 18 after it',
    'muss ein Betrag über null sein, etwa 10.00',
  ],
  ['must be above zero', 'muss größer als null sein'],
  ['must be at least {least}', 'muss mindestens {least} sein'],
  ['must be from {least} to {most} USDC', 'muss zwischen {least} und {most} USDC liegen'],
  ['the smallest investment must not be above the largest', 'darf nicht über der größten Investition liegen'],
  ['must be 0x and 40 hex digits', 'muss aus 0x und 40 Hexadezimalziffern bestehen'],
  ['must be 0x and 64 hex digits', 'muss aus 0x und 64 Hexadezimalziffern bestehen'],
  ['must be the six digits that the app shows', 'muss aus den sechs Ziffern bestehen, die die App zeigt'],
  ['is not the id of a strategy', 'ist keine Strategie'],
  ['is the strategy that the investment is in', 'ist schon die Strategie dieser Anlage'],
  ['is not the user of this {record}', 'gehört nicht zu diesem Vorgang'],
  ['is another user', 'hat schon ein anderer Nutzer'],
  [
    'must be an active admin with the permission {permission}',
    'muss ein aktiver Admin mit dem Recht {permission} sein',
  ],
  ['must be an admin who may resolve breaks', 'muss ein Admin sein, der Abweichungen auflösen darf'],
  ['must be an action such as withdrawal.take', 'muss eine Aktion sein, etwa withdrawal.take'],
  ['must be type:id', 'muss Art:Id sein, etwa withdrawal: und die Id'],
  [
    'must be types of events, separated by commas: docs/events.md lists them',
    'müssen Arten von Ereignissen sein, durch Kommas getrennt',
  ],
  ['must be the number of an event: up to 15 digits', 'muss die Nummer eines Ereignisses sein'],
  ['must be a name of a provider', 'muss der Name eines Anbieters sein'],
  ['must have at most {count} lines', 'darf höchstens {count} Zeilen haben'],
  ['must begin with https://', 'muss mit https:// beginnen'],
  ['must be an address that begins with https://', 'muss eine Adresse sein, die mit https:// beginnt'],
  ['must have no user name and no password', 'darf keinen Namen und kein Passwort enthalten'],
  ['must have no port, or 80 or 443', 'darf keinen Port nennen, oder 80 oder 443'],
  ['must have a host name that DNS resolves', 'muss einen Rechner nennen, den es im DNS gibt'],
  [
    'must not lead to a private, local or reserved address',
    'darf nicht zu einer privaten oder lokalen Adresse führen',
  ],
];

const FIELDS: Readonly<Record<string, string>> = {
  action: 'Die Aktion',
  address: 'Die Adresse',
  amount: 'Der Betrag',
  assignedTo: 'Der Admin',
  code: 'Der Code',
  date: 'Das Datum',
  description: 'Die Beschreibung',
  email: 'Die E-Mail-Adresse',
  endDate: 'Der letzte Tag',
  events: 'Die Ereignisse',
  expiresAt: 'Das Ende der Gültigkeit',
  label: 'Der Name',
  maxAmount: 'Die größte Investition',
  message: 'Die Nachricht',
  minAmount: 'Die kleinste Investition',
  name: 'Der Name',
  networks: 'Die erlaubten Netze',
  reason: 'Der Grund',
  scopes: 'Die Befugnisse',
  startDate: 'Der erste Tag',
  strategyId: 'Die Strategie',
  subject: 'Der Vorgang',
  title: 'Der Titel',
  toAddress: 'Die Adresse',
  txHash: 'Der Hash',
  types: 'Die Arten',
  url: 'Die URL',
  userId: 'Der Nutzer',
};

const problemText = phraseBook(PROBLEMS);

/** German for what is wrong with a field; undefined for a text that has none. */
export function germanProblem(
  field: string,
  message: string,
  valueText: (value: unknown) => string,
): string | undefined {
  const german = problemText(message, valueText);
  return german && `${FIELDS[field] ?? `„${field}“`} ${german}`;
}
