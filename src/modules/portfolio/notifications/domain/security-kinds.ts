import { sentences, type Language } from '../../../../common/message-texts.js';
import type { UserStatus, SecondFactor } from '../../../identity/users/users.types.js';
import { because, END_SESSIONS, SUPPORT, kind } from './notification-kind.js';

interface ClientDevice {
  /** The device's name; null if it has stated none. */
  device: string | null;
  network: string;
}

const CHANGE_PASSWORD = {
  en: `If it was not you, change your password at the identity provider and ${SUPPORT.en}.`,
  de: `Wenn Sie das nicht waren, ändern Sie Ihr Passwort beim Identitätsanbieter und ${SUPPORT.de}.`,
};

const UNKNOWN_DEVICE = { en: 'its name is not known', de: 'sein Name ist nicht bekannt' };

const STATUSES = {
  en: {
    active: 'Your account is active again.',
    inactive: 'Your account has been deactivated.',
    suspended: 'Your account has been suspended.',
  },
  de: {
    active: 'Ihr Konto ist wieder aktiv.',
    inactive: 'Ihr Konto wurde deaktiviert.',
    suspended: 'Ihr Konto wurde gesperrt.',
  },
} satisfies Record<Language, Record<UserStatus, string>>;

const FACTORS = {
  en: { passkey: 'a passkey', totp: 'one-time codes of an app', 'recovery-codes': 'new recovery codes' },
  de: {
    passkey: 'ein Passkey',
    totp: 'Einmalcodes einer App',
    'recovery-codes': 'neue Wiederherstellungscodes',
  },
} satisfies Record<Language, Record<SecondFactor, string>>;

/** Notifications about sign-ins, wallets, second factors and the state of the account. */
export const SECURITY_KINDS = {
  'security.new-device': kind<ClientDevice>('high', ({ device, network }) => ({
    en: [
      'Sign-in from a new device',
      `A new device has signed in to your account from the network ${network}: ${device ?? UNKNOWN_DEVICE.en}. ${CHANGE_PASSWORD.en}`,
    ],
    de: [
      'Anmeldung mit einem neuen Gerät',
      `Ein neues Gerät hat sich aus dem Netzwerk ${network} bei Ihrem Konto angemeldet: ${device ?? UNKNOWN_DEVICE.de}. ${CHANGE_PASSWORD.de}`,
    ],
  })),
  'security.new-network': kind<ClientDevice>('high', ({ device, network }) => ({
    en: [
      'Sign-in from a new network',
      `A device that you have used before has signed in to your account from a new network, ${network}: ${device ?? UNKNOWN_DEVICE.en}. ${CHANGE_PASSWORD.en}`,
    ],
    de: [
      'Anmeldung aus einem neuen Netzwerk',
      `Ein Gerät, das Sie schon verwendet haben, hat sich aus einem neuen Netzwerk, ${network}, bei Ihrem Konto angemeldet: ${device ?? UNKNOWN_DEVICE.de}. ${CHANGE_PASSWORD.de}`,
    ],
  })),
  'security.new-identity': kind<{ holdUntil: string | null }>('critical', ({ holdUntil }) => ({
    en: [
      'Sign-in with a new identity',
      'An account at the identity provider that has never signed in here before has signed in with your e-mail address. ' +
        (holdUntil === null
          ? ''
          : `Withdrawals, new withdrawal addresses, wallets and API keys that can write are refused until ${holdUntil}. `) +
        `If it was not you, ${SUPPORT.en} at once.`,
    ],
    de: [
      'Anmeldung mit einer neuen Identität',
      'Mit Ihrer E-Mail-Adresse hat sich ein Konto des Identitätsanbieters angemeldet, das sich bei uns noch nie angemeldet hatte. ' +
        (holdUntil === null
          ? ''
          : `Auszahlungen, neue Auszahlungsadressen, Wallets und API-Schlüssel mit Schreibrechten werden bis ${holdUntil} abgelehnt. `) +
        'Wenn Sie das nicht waren, schreiben Sie bitte sofort unserem Support.',
    ],
  })),
  'security.status-changed': kind<{ status: UserStatus; reason: string | null }>(
    'critical',
    ({ status, reason }) => ({
      en: ['Account status changed', sentences(STATUSES.en[status], because.en(reason))],
      de: ['Status des Kontos geändert', sentences(STATUSES.de[status], because.de(reason))],
    }),
  ),
  'security.wallet-linked': kind<{ wallet: string }>('high', ({ wallet }) => ({
    en: ['Wallet linked', `The wallet ${wallet} can sign in to your account now.`],
    de: ['Wallet verknüpft', `Die Wallet ${wallet} kann sich jetzt bei Ihrem Konto anmelden.`],
  })),
  'security.wallet-unlinked': kind<{ wallet: string }>('high', ({ wallet }) => ({
    en: [
      'Wallet unlinked',
      `The wallet ${wallet} cannot sign in to your account any more. Its sessions have ended.`,
    ],
    de: [
      'Wallet getrennt',
      `Die Wallet ${wallet} kann sich nicht mehr bei Ihrem Konto anmelden. Die Sitzungen dieser Wallet sind beendet.`,
    ],
  })),
  'security.wallet-suspended': kind<{ wallet: string }>('high', ({ wallet }) => ({
    en: [
      'Wallet suspended',
      `Your e-mail address was changed. The wallet ${wallet} cannot sign in until you link it again.`,
    ],
    de: [
      'Wallet gesperrt',
      `Ihre E-Mail-Adresse wurde geändert. Die Wallet ${wallet} kann sich erst wieder anmelden, wenn Sie sie erneut verknüpfen.`,
    ],
  })),
  'security.email-off': kind('high', () => ({
    en: [
      'E-mail switched off',
      `E-mail about deposits was switched off. E-mail about withdrawals and the security of your account is still sent. ${END_SESSIONS.en}`,
    ],
    de: [
      'E-Mails abgeschaltet',
      `E-Mails über Einzahlungen wurden abgeschaltet. E-Mails über Auszahlungen und die Sicherheit Ihres Kontos senden wir weiterhin. ${END_SESSIONS.de}`,
    ],
  })),
  'security.factor-added': kind<{ factor: SecondFactor }>('high', ({ factor }) => ({
    en: ['Second factor added', `Added to your account: ${FACTORS.en[factor]}. ${END_SESSIONS.en}`],
    de: [
      'Zweiter Faktor hinzugefügt',
      `Zu Ihrem Konto hinzugefügt: ${FACTORS.de[factor]}. ${END_SESSIONS.de}`,
    ],
  })),
  'security.factor-removed': kind<{ factor: SecondFactor }>('critical', ({ factor }) => ({
    en: [
      'Second factor removed',
      `Removed from your account: ${FACTORS.en[factor]}. Withdrawals are refused for a while. ${END_SESSIONS.en}`,
    ],
    de: [
      'Zweiter Faktor entfernt',
      `Von Ihrem Konto entfernt: ${FACTORS.de[factor]}. Auszahlungen sind eine Zeit lang gesperrt. ${END_SESSIONS.de}`,
    ],
  })),
  'security.recovery-code-used': kind('critical', () => ({
    en: [
      'Recovery code used',
      `A recovery code of your account was used. Withdrawals are refused for a while. ${END_SESSIONS.en}`,
    ],
    de: [
      'Wiederherstellungscode benutzt',
      `Ein Wiederherstellungscode Ihres Kontos wurde benutzt. Auszahlungen sind eine Zeit lang gesperrt. ${END_SESSIONS.de}`,
    ],
  })),
  'security.second-factor-failed': kind('critical', () => ({
    en: [
      'Wrong answers of a second factor',
      `Your second factor was answered wrongly five times within fifteen minutes. ${END_SESSIONS.en}`,
    ],
    de: [
      'Falsche Antworten des zweiten Faktors',
      `Ihr zweiter Faktor wurde innerhalb von fünfzehn Minuten fünfmal falsch beantwortet. ${END_SESSIONS.de}`,
    ],
  })),
  'security.factors-reset': kind('critical', () => ({
    en: [
      'Second factors removed',
      'Admins have removed all second factors of your account. All sessions have ended, and withdrawals are refused for a while.',
    ],
    de: [
      'Zweite Faktoren entfernt',
      'Administratoren haben alle zweiten Faktoren Ihres Kontos entfernt. Alle Sitzungen sind beendet, und Auszahlungen sind eine Zeit lang gesperrt.',
    ],
  })),
  'security.account-locked': kind<{ reason: string | null }>('critical', ({ reason }) => ({
    en: [
      'Account locked',
      sentences(
        'Your account was locked. Until it is unlocked, withdrawals and changes of addresses, API keys, wallets, webhooks and second factors are refused.',
        because.en(reason),
      ),
    ],
    de: [
      'Konto gesperrt',
      sentences(
        'Ihr Konto wurde gesperrt. Bis es entsperrt wird, lehnen wir Auszahlungen und Änderungen an Adressen, API-Schlüsseln, Wallets, Webhooks und zweiten Faktoren ab.',
        because.de(reason),
      ),
    ],
  })),
  'security.account-unlocked': kind('critical', () => ({
    en: ['Account unlocked', 'Your account was unlocked. Withdrawals are possible again.'],
    de: ['Konto entsperrt', 'Ihr Konto wurde entsperrt. Auszahlungen sind wieder möglich.'],
  })),
  'security.tier-changed': kind<{ tier: string }>('high', ({ tier }) => ({
    en: [
      'Limits changed',
      `The limits of the tier "${tier}" apply to your account now. If you did not expect this, ${SUPPORT.en}.`,
    ],
    de: [
      'Limits geändert',
      `Für Ihr Konto gelten jetzt die Limits der Stufe „${tier}“. Wenn Sie das nicht erwartet haben, ${SUPPORT.de}.`,
    ],
  })),
};
