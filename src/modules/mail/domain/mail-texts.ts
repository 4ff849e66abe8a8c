import type { MailDetail, MailDetails, MailKind } from '../mail.types.js';

/** The sentences of a kind of mail. They contain no text of a user. */
interface KindTexts {
  readonly subject: (details: MailDetails) => string;
  readonly message: string;
  /** What to do if the user did not cause the event. */
  readonly advice?: string;
}

export interface LanguageTexts {
  readonly greeting: (name: string) => string;
  readonly greetingWithoutName: string;
  readonly kinds: Readonly<Record<MailKind, KindTexts>>;
  readonly details: Readonly<Record<MailDetail, string>>;
  readonly statuses: Readonly<Record<string, string>>;
  readonly footer: { readonly optional: string; readonly security: string };
}

const ENGLISH: LanguageTexts = {
  greeting: (name) => `Hello ${name},`,
  greetingWithoutName: 'Hello,',
  kinds: {
    'withdrawal.requested': {
      subject: ({ amount }) => `Withdrawal of ${amount} requested`,
      message: 'You have requested a withdrawal. The amount is reserved until the withdrawal is carried out.',
      advice: 'If it was not you, cancel the withdrawal and write to our support at once.',
    },
    'withdrawal.completed': {
      subject: ({ amount }) => `Withdrawal of ${amount} completed`,
      message: 'Your withdrawal has been sent.',
    },
    'withdrawal.rejected': {
      subject: ({ amount }) => `Withdrawal of ${amount} rejected`,
      message: 'Your withdrawal was rejected. The amount is available again.',
    },
    'withdrawal.failed': {
      subject: ({ amount }) => `Withdrawal of ${amount} failed`,
      message: 'Your withdrawal was not carried out. The amount stays reserved until we have looked into it.',
    },
    'deposit.completed': {
      subject: ({ amount }) => `Deposit of ${amount} credited`,
      message: 'Your deposit has been credited.',
    },
    'security.new-device': {
      subject: () => 'Sign-in from a new device',
      message: 'A new device has signed in to your account.',
      advice: 'If it was not you, change your password at the identity provider and write to our support.',
    },
    'security.new-identity': {
      subject: () => 'Sign-in with a new identity',
      message:
        'An account at the identity provider that has never signed in to our platform before has signed in with your e-mail address.',
      advice: 'If it was not you, write to our support at once.',
    },
    'security.status-changed': {
      subject: () => 'Account status changed',
      message: 'The status of your account was changed.',
    },
    'security.wallet-linked': {
      subject: () => 'Wallet added to your account',
      message: 'A wallet can sign in to your account now.',
      advice: 'If it was not you, write to our support at once.',
    },
    'api-key.created': {
      subject: () => 'API key added to your account',
      message: 'An API key was created. A holder of the key can act for you within its scopes.',
      advice: 'If it was not you, revoke the key and write to our support at once.',
    },
    'address.added': {
      subject: () => 'Withdrawal address added',
      message: 'An address was added to your withdrawal address book.',
      advice: 'If it was not you, remove the address and write to our support at once.',
    },
    'email.changed': {
      subject: () => 'E-mail address of your account changed',
      message:
        'The e-mail address of your account was changed. All sessions have ended, and all API keys are revoked.',
      advice: 'If you did not ask for this, write to our support at once.',
    },
  },
  details: {
    amount: 'Amount',
    credited: 'Credited',
    network: 'Network',
    to: 'To',
    txHash: 'Transaction',
    device: 'Device',
    status: 'Status',
    wallet: 'Wallet',
    label: 'Label',
    address: 'Address',
    usableFrom: 'Usable from',
    keyName: 'Name',
    keyPrefix: 'Begins with',
    oldEmail: 'Old address',
    newEmail: 'New address',
    revokedKeys: 'Revoked API keys',
    disabledWebhooks: 'Disabled webhooks',
    reason: 'Reason',
    holdUntil: 'No withdrawals until',
    at: 'Time',
  },
  statuses: { active: 'active', inactive: 'deactivated', suspended: 'suspended' },
  footer: {
    optional: 'You can switch off e-mail about deposits and withdrawals in your profile.',
    security: 'E-mail about the security of your account cannot be switched off.',
  },
};

const GERMAN: LanguageTexts = {
  greeting: (name) => `Guten Tag ${name},`,
  greetingWithoutName: 'Guten Tag,',
  kinds: {
    'withdrawal.requested': {
      subject: ({ amount }) => `Auszahlung von ${amount} beantragt`,
      message: 'Sie haben eine Auszahlung beantragt. Der Betrag ist reserviert, bis sie ausgeführt ist.',
      advice:
        'Wenn Sie das nicht waren, stornieren Sie die Auszahlung und schreiben Sie bitte sofort unserem Support.',
    },
    'withdrawal.completed': {
      subject: ({ amount }) => `Auszahlung von ${amount} ausgeführt`,
      message: 'Ihre Auszahlung ist gesendet worden.',
    },
    'withdrawal.rejected': {
      subject: ({ amount }) => `Auszahlung von ${amount} abgelehnt`,
      message: 'Ihre Auszahlung wurde abgelehnt. Der Betrag ist wieder verfügbar.',
    },
    'withdrawal.failed': {
      subject: ({ amount }) => `Auszahlung von ${amount} fehlgeschlagen`,
      message:
        'Ihre Auszahlung wurde nicht ausgeführt. Der Betrag bleibt reserviert, bis wir den Vorgang geprüft haben.',
    },
    'deposit.completed': {
      subject: ({ amount }) => `Einzahlung von ${amount} gutgeschrieben`,
      message: 'Ihre Einzahlung ist gutgeschrieben.',
    },
    'security.new-device': {
      subject: () => 'Anmeldung mit einem neuen Gerät',
      message: 'Ein neues Gerät hat sich bei Ihrem Konto angemeldet.',
      advice:
        'Wenn Sie das nicht waren, ändern Sie Ihr Passwort beim Identitätsanbieter und schreiben Sie bitte unserem Support.',
    },
    'security.new-identity': {
      subject: () => 'Anmeldung mit einer neuen Identität',
      message:
        'Mit Ihrer E-Mail-Adresse hat sich ein Konto des Identitätsanbieters angemeldet, das sich bei uns noch nie angemeldet hatte.',
      advice: 'Wenn Sie das nicht waren, schreiben Sie bitte sofort unserem Support.',
    },
    'security.status-changed': {
      subject: () => 'Status Ihres Kontos geändert',
      message: 'Der Status Ihres Kontos wurde geändert.',
    },
    'security.wallet-linked': {
      subject: () => 'Wallet mit Ihrem Konto verknüpft',
      message: 'Eine Wallet kann sich jetzt bei Ihrem Konto anmelden.',
      advice: 'Wenn Sie das nicht waren, schreiben Sie bitte sofort unserem Support.',
    },
    'api-key.created': {
      subject: () => 'API-Schlüssel zu Ihrem Konto hinzugefügt',
      message:
        'Ein API-Schlüssel wurde erstellt. Wer ihn besitzt, kann im Rahmen seiner Rechte für Sie handeln.',
      advice:
        'Wenn Sie das nicht waren, widerrufen Sie den Schlüssel und schreiben Sie bitte sofort unserem Support.',
    },
    'address.added': {
      subject: () => 'Auszahlungsadresse hinzugefügt',
      message: 'Zu Ihrem Adressbuch für Auszahlungen wurde eine Adresse hinzugefügt.',
      advice:
        'Wenn Sie das nicht waren, entfernen Sie die Adresse und schreiben Sie bitte sofort unserem Support.',
    },
    'email.changed': {
      subject: () => 'E-Mail-Adresse Ihres Kontos geändert',
      message:
        'Die E-Mail-Adresse Ihres Kontos wurde geändert. Alle Sitzungen sind beendet, und alle API-Schlüssel sind widerrufen.',
      advice: 'Wenn Sie das nicht veranlasst haben, schreiben Sie bitte sofort unserem Support.',
    },
  },
  details: {
    amount: 'Betrag',
    credited: 'Gutgeschrieben',
    network: 'Netzwerk',
    to: 'An',
    txHash: 'Transaktion',
    device: 'Gerät',
    status: 'Status',
    wallet: 'Wallet',
    label: 'Bezeichnung',
    address: 'Adresse',
    usableFrom: 'Verwendbar ab',
    keyName: 'Name',
    keyPrefix: 'Beginnt mit',
    oldEmail: 'Alte Adresse',
    newEmail: 'Neue Adresse',
    revokedKeys: 'Widerrufene API-Schlüssel',
    disabledWebhooks: 'Abgeschaltete Webhooks',
    reason: 'Grund',
    holdUntil: 'Keine Auszahlungen bis',
    at: 'Zeit',
  },
  statuses: { active: 'aktiv', inactive: 'deaktiviert', suspended: 'gesperrt' },
  footer: {
    optional: 'E-Mails über Ein- und Auszahlungen können Sie in Ihrem Profil abschalten.',
    security: 'E-Mails über die Sicherheit Ihres Kontos lassen sich nicht abschalten.',
  },
};

/** German for the language tags de, de-CH …; English for all others. */
export function textsIn(language: string): { readonly tag: string; readonly texts: LanguageTexts } {
  return /^de(-|$)/i.test(language) ? { tag: 'de', texts: GERMAN } : { tag: 'en', texts: ENGLISH };
}
