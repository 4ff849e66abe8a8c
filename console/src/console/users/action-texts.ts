import { inLanguage } from '../../ui/language.ts';

/** The labels of the buttons on the page of a user. */
export const ACTION = inLanguage({
  email: ['Change e-mail address', 'E-Mail-Adresse ändern'],
  tier: ['Change limits', 'Grenzen ändern'],
  screening: ['Accept screening', 'Prüfung akzeptieren'],
  lock: ['Lock the account', 'Konto sperren'],
  harden: ['Lock for two admins', 'Für zwei Admins sperren'],
  unlock: ['Unlock the account', 'Konto entsperren'],
  holdEnd: ['End the security hold', 'Sicherheitssperre beenden'],
  factors: ['Remove second factors', 'Zweite Faktoren entfernen'],
  status: ['Change status', 'Status ändern'],
  sessions: ['End all sessions', 'Alle Sitzungen beenden'],
  deactivate: ['Deactivate', 'Deaktivieren'],
  erase: ['Erase', 'Löschen'],
  wallet: ['Unlink', 'Trennen'],
  apiKey: ['Revoke', 'Widerrufen'],
  address: ['Remove', 'Entfernen'],
});

/** What an action does, in one sentence. A change of the status has three, named by the new status. */
export const EFFECT = inLanguage({
  email: [
    'A second admin is asked to change the address. With it all sessions end, wallets are suspended, API keys are revoked, webhooks are switched off, and a security hold begins. Without four eyes it takes effect at once.',
    'Ein zweiter Admin wird gebeten, die Adresse zu ändern. Damit enden alle Sitzungen, Wallets werden ausgesetzt, API-Schlüssel widerrufen, Webhooks ausgeschaltet, und eine Sicherheitssperre beginnt. Ohne vier Augen gilt es sofort.',
  ],
  tier: [
    'A second admin is asked to give the user other limits for withdrawals and investments. Without four eyes it takes effect at once.',
    'Ein zweiter Admin wird gebeten, dem Nutzer andere Grenzen für Auszahlungen und Investitionen zu geben. Ohne vier Augen gilt es sofort.',
  ],
  screening: [
    'A second admin is asked to accept the verdict of the screening, until the next verdict. Without four eyes it takes effect at once.',
    'Ein zweiter Admin wird gebeten, das Ergebnis der Prüfung bis zum nächsten Ergebnis zu akzeptieren. Ohne vier Augen gilt es sofort.',
  ],
  lock: [
    'Nothing can lead money out of the account any more, and all sessions end. Only two admins unlock it again.',
    'Nichts kann mehr Geld aus dem Konto herausführen, und alle Sitzungen enden. Nur zwei Admins entsperren es wieder.',
  ],
  harden: [
    'The lock, which the user can end, becomes one that only two admins end.',
    'Aus der Sperre, die der Nutzer beenden kann, wird eine, die nur zwei Admins beenden.',
  ],
  unlock: [
    'A second admin is asked to unlock the account. The user can then withdraw again. Without four eyes it takes effect at once.',
    'Ein zweiter Admin wird gebeten, das Konto zu entsperren. Der Nutzer kann dann wieder auszahlen. Ohne vier Augen gilt es sofort.',
  ],
  holdEnd: [
    'A second admin is asked to end the security hold before its time. The user can then withdraw again. Without four eyes it takes effect at once.',
    'Ein zweiter Admin wird gebeten, die Sicherheitssperre vorzeitig zu beenden. Der Nutzer kann dann wieder auszahlen. Ohne vier Augen gilt es sofort.',
  ],
  factors: [
    'A second admin is asked to remove all passkeys, one-time codes and recovery codes, for a user who has lost them. With it all sessions end, and a security hold begins. Without four eyes it takes effect at once.',
    'Ein zweiter Admin wird gebeten, alle Passkeys, Einmalcodes und Wiederherstellungscodes zu entfernen, für einen Nutzer, der sie verloren hat. Damit enden alle Sitzungen, und eine Sicherheitssperre beginnt. Ohne vier Augen gilt es sofort.',
  ],
  active: ['The user can sign in again.', 'Der Nutzer kann sich wieder anmelden.'],
  suspended: [
    'The user cannot sign in, and all sessions end. Withdrawals of the user cannot be paid.',
    'Der Nutzer kann sich nicht anmelden, und alle Sitzungen enden. Auszahlungen des Nutzers lassen sich nicht zahlen.',
  ],
  inactive: [
    'The user cannot sign in, and all sessions end, even if there are investments or withdrawals in progress.',
    'Der Nutzer kann sich nicht anmelden, und alle Sitzungen enden, auch wenn es laufende Investitionen oder Auszahlungen gibt.',
  ],
  sessions: [
    'The user is signed out everywhere and has to sign in again. API keys stay valid.',
    'Der Nutzer wird überall abgemeldet und muss sich neu anmelden. API-Schlüssel bleiben gültig.',
  ],
  deactivate: [
    'The user cannot sign in, all sessions end, and the user is notified. It is refused while there are investments or withdrawals in progress.',
    'Der Nutzer kann sich nicht anmelden, alle Sitzungen enden, und der Nutzer wird benachrichtigt. Bei laufenden Investitionen oder Auszahlungen wird das abgelehnt.',
  ],
  erase: [
    'The account and all its data are deleted. This cannot be undone, and it is refused if there are records of money about the user.',
    'Das Konto und alle seine Daten werden gelöscht. Das lässt sich nicht rückgängig machen, und es wird abgelehnt, wenn es Vorgänge mit Geld des Nutzers gibt.',
  ],
  wallet: [
    'The wallet cannot sign in any more, and the sessions that it has opened end. Only the user can link it again.',
    'Die Wallet kann sich nicht mehr anmelden, und ihre Sitzungen enden. Nur der Nutzer kann sie wieder verbinden.',
  ],
  apiKey: [
    'The key is refused from now on. This cannot be undone.',
    'Der Schlüssel wird ab jetzt abgelehnt. Das lässt sich nicht rückgängig machen.',
  ],
  address: [
    'The address is no longer in the address book of the user, who can add it again.',
    'Die Adresse steht nicht mehr im Adressbuch des Nutzers, der sie wieder eintragen kann.',
  ],
});

/** Shown if the action has taken effect; most of them wait for a second admin instead. */
export const DONE = inLanguage({
  email: ['The e-mail address is changed', 'Die E-Mail-Adresse ist geändert'],
  tier: ['The limits are changed', 'Die Grenzen sind geändert'],
  screening: ['The screening is accepted', 'Die Prüfung ist akzeptiert'],
  lock: ['The account is locked', 'Das Konto ist gesperrt'],
  harden: ['Only two admins unlock the account now', 'Nur zwei Admins entsperren das Konto nun'],
  unlock: ['The account is unlocked', 'Das Konto ist entsperrt'],
  holdEnd: ['The security hold has ended', 'Die Sicherheitssperre ist beendet'],
  factors: ['The second factors are removed', 'Die zweiten Faktoren sind entfernt'],
  status: ['The status is changed', 'Der Status ist geändert'],
  sessions: ['All sessions have ended', 'Alle Sitzungen sind beendet'],
  deactivate: ['The account is deactivated', 'Das Konto ist deaktiviert'],
  erase: ['The account is erased', 'Das Konto ist gelöscht'],
  wallet: ['The wallet is unlinked', 'Die Wallet ist getrennt'],
  apiKey: ['The API key is revoked', 'Der API-Schlüssel ist widerrufen'],
  address: ['The address is removed', 'Die Adresse ist entfernt'],
});
