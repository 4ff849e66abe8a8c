import type { SecondFactor } from '../../../identity/users/security.events.js';
import { sentences } from '../../../../common/message-texts.js';
import type { NotificationLanguage, Payout } from '../notification-texts.types.js';

const AVAILABLE = 'Der Betrag ist wieder verfügbar.';
const SUPPORT = 'schreiben Sie bitte unserem Support';
const SUPPORT_NOW = 'schreiben Sie bitte sofort unserem Support';
const END_SESSIONS = `Wenn Sie das nicht waren, beenden Sie Ihre anderen Sitzungen und ${SUPPORT}.`;
const CHANGE_PASSWORD = `Wenn Sie das nicht waren, ändern Sie Ihr Passwort beim Identitätsanbieter und ${SUPPORT}.`;
const UNKNOWN_DEVICE = 'sein Name ist nicht bekannt';

const FAILURES = {
  reverted: 'Die Transaktion wurde auf der Blockchain zurückgewiesen.',
  refused: 'Der Einzahlungsanbieter hat sie abgelehnt.',
  vanished: 'Die Transaktion ist auf der Blockchain nicht erschienen.',
  unproven: 'Die Transaktion enthält keine Überweisung an Ihre Einzahlungsadresse.',
};

const FAULTS = {
  gone: 'Er hat mit 410 Gone geantwortet.',
  failing:
    'Er hat seit drei Tagen kein Ereignis angenommen. Nicht zugestellte Ereignisse werden gesendet, wenn Sie den Webhook wieder einschalten.',
  backlog:
    'Mehr als 1.000 Ereignisse warten auf Ihre Webhooks, und dieser lässt sie am längsten scheitern oder verzögert sie. ' +
    'Sie werden gesendet, wenn Sie den Webhook wieder einschalten.',
};

const STATUSES = {
  active: 'Ihr Konto ist wieder aktiv.',
  inactive: 'Ihr Konto wurde deaktiviert.',
  suspended: 'Ihr Konto wurde gesperrt.',
};

const FACTORS: Record<SecondFactor, string> = {
  passkey: 'ein Passkey',
  totp: 'Einmalcodes einer App',
  'recovery-codes': 'neue Wiederherstellungscodes',
};

export const GERMAN: NotificationLanguage = {
  several: ([title, message], count) => [
    `${title}: ${count} weitere`,
    `${count} weitere innerhalb von zehn Minuten. Zuletzt: ${message}`,
  ],
  texts: {
    'deposit.seen': ({ received, network }) => [
      'Einzahlung erkannt',
      `Ihre Einzahlung von ${received} ist unterwegs. Sie wartet auf Bestätigungen im Netzwerk ${network}.`,
    ],
    'deposit.completed': ({ received, credited }) => [
      'Einzahlung gutgeschrieben',
      `Ihre Einzahlung von ${received} ist${credited === null ? '' : ` als ${credited}`} gutgeschrieben.`,
    ],
    'deposit.held': ({ received, minimum }) => [
      'Einzahlung noch nicht gutgeschrieben',
      `Ihre Einzahlung von ${received} ist angekommen, aber noch nicht gutgeschrieben.${
        minimum === null
          ? ''
          : ` Sie liegt unter dem Mindestbetrag von ${minimum}: Überweisen Sie mehr an dieselbe Adresse. Sobald der Mindestbetrag erreicht ist, wird alles gutgeschrieben.`
      }`,
    ],
    'deposit.covered': ({ received }) => [
      'Einzahlung schon gutgeschrieben',
      `Ihre Einzahlung von ${received} ist angekommen. Unser Team hatte sie Ihnen schon gutgeschrieben, daher wird sie kein zweites Mal gutgeschrieben.`,
    ],
    'deposit.failed': ({ received, failure }) => [
      'Einzahlung fehlgeschlagen',
      sentences(
        `Ihre Einzahlung von ${received} ist fehlgeschlagen und wird nicht gutgeschrieben.`,
        failure && FAILURES[failure],
      ),
    ],
    'investment.requested': ({ amount, strategy }) => [
      'Anlage beantragt',
      `Ihre Anlage von ${amount} in ${strategy} wartet auf Freigabe. Bis dahin bringt sie keinen Ertrag; der Betrag zählt als angelegt.`,
    ],
    'investment.created': ({ amount, strategy }) => [
      'Anlage begonnen',
      `Sie haben ${amount} in ${strategy} angelegt.`,
    ],
    'investment.approved': ({ amount, strategy }) => [
      'Anlage freigegeben',
      `Ihre Anlage von ${amount} in ${strategy} ist freigegeben und aktiv.`,
    ],
    'investment.rejected': ({ amount, strategy, reason }) => [
      'Anlage abgelehnt',
      sentences(
        `Ihre Anlage von ${amount} in ${strategy} wurde nicht freigegeben. ${AVAILABLE}`,
        because(reason),
      ),
    ],
    'investment.cancelled': ({ amount, strategy, payout }) => [
      'Anlage storniert',
      `Ihre Anlage von ${amount} in ${strategy} ist storniert. ${payout ? payoutText(payout) : AVAILABLE}`,
    ],
    'investment.partially-closed': ({ strategy, payout, left }) => [
      'Anlage teilweise aufgelöst',
      sentences(
        `Ein Teil Ihrer Anlage in ${strategy} ist aufgelöst. ${payoutText(payout)}`,
        left && `${left} bleiben angelegt.`,
      ),
    ],
    'investment.closed': ({ strategy, payout }) => [
      'Anlage aufgelöst',
      `Ihre Anlage in ${strategy} ist aufgelöst. ${payoutText(payout)}`,
    ],
    'investment.moved-from': ({ principal, value, from, to }) => [
      'Anlage aufgelöst',
      `Ihre Anlage von ${principal} in ${from} ist aufgelöst. Ihr Wert von ${value} läuft in ${to} weiter.`,
    ],
    'investment.moved-into': ({ value, from, to }) => [
      'Anlage begonnen',
      `Sie haben ${value} von ${from} nach ${to} umgeschichtet.`,
    ],
    'withdrawal.requested': ({ amount, toAddress }) => [
      'Auszahlung beantragt',
      `Sie haben eine Auszahlung von ${amount} an ${toAddress} beantragt. Der Betrag ist reserviert.`,
    ],
    'withdrawal.taken': ({ amount }) => [
      'Auszahlung in Arbeit',
      `Ihre Auszahlung von ${amount} wird ausgeführt und kann nicht mehr storniert werden.`,
    ],
    'withdrawal.completed': ({ amount, toAddress }) => [
      'Auszahlung ausgeführt',
      `${amount} wurden an ${toAddress} gesendet.`,
    ],
    'withdrawal.cancelled': ({ amount }) => [
      'Auszahlung storniert',
      `Ihre Auszahlung von ${amount} wurde storniert. ${AVAILABLE}`,
    ],
    'withdrawal.rejected': ({ amount, reason }) => [
      'Auszahlung abgelehnt',
      sentences(`Ihre Auszahlung von ${amount} wurde abgelehnt. ${AVAILABLE}`, because(reason)),
    ],
    'withdrawal.failed': ({ amount }) => [
      'Auszahlung fehlgeschlagen',
      `Ihre Auszahlung von ${amount} wurde nicht ausgeführt. Der Betrag bleibt reserviert, bis wir den Vorgang geprüft haben.`,
    ],
    'withdrawal.released': ({ amount }) => [
      'Auszahlungsbetrag freigegeben',
      `Ihre Auszahlung von ${amount} wurde nicht ausgeführt. ${AVAILABLE}`,
    ],
    'withdrawal-limit.held': ({ amount }) => [
      'Auszahlung wartet',
      `Ihre Auszahlung von ${amount} wartet, bis das Tageslimit der Plattform dafür ausreicht. Der Betrag bleibt reserviert, und Sie können stornieren.`,
    ],
    'withdrawal-limit.released': ({ amount }) => [
      'Auszahlung geht weiter',
      `Ihre Auszahlung von ${amount} wartet nicht länger auf das Tageslimit der Plattform.`,
    ],
    'booking.deposit': ({ amount, note }) => [
      'Einzahlung gebucht',
      `${amount} wurden Ihnen gutgeschrieben. Notiz: ${note}`,
    ],
    'booking.withdrawal': ({ amount, note }) => [
      'Auszahlung gebucht',
      `${amount} wurden an Sie ausgezahlt. Notiz: ${note}`,
    ],
    'booking.reversal': ({ amount, note }) => [
      'Einzahlung zurückgenommen',
      `${amount}, die für eine Einzahlung gutgeschrieben waren, wurden zurückgenommen. Notiz: ${note}`,
    ],
    earnings: ({ from, to, days, amount, isLoss }) => [
      days === 1
        ? `Tages${isLoss ? 'verlust' : 'ertrag'}`
        : `${isLoss ? 'Verlust' : 'Ertrag'} von ${days} Tagen`,
      `Ihre Anlagen haben ${from === to ? `am ${to}` : `vom ${from} bis ${to}`} ${amount} ${isLoss ? 'verloren' : 'verdient'}.`,
    ],
    suspension: ({ strategy }) => [
      'Strategie ausgesetzt',
      `${strategy} ist ausgesetzt: Ihre Anlagen darin sind angehalten. Sie behalten ihren Wert und wachsen nicht. ` +
        'Sie können sie jederzeit auflösen oder in eine andere Strategie umschichten.',
    ],
    'webhook.disabled': ({ host, fault }) => [
      'Webhook abgeschaltet',
      `An ${host} werden keine Ereignisse mehr gesendet. ${FAULTS[fault]}`,
    ],
    'security.new-device': ({ device, network }) => [
      'Anmeldung mit einem neuen Gerät',
      `Ein neues Gerät hat sich aus dem Netzwerk ${network} bei Ihrem Konto angemeldet: ${device ?? UNKNOWN_DEVICE}. ${CHANGE_PASSWORD}`,
    ],
    'security.new-network': ({ device, network }) => [
      'Anmeldung aus einem neuen Netzwerk',
      `Ein Gerät, das Sie schon verwendet haben, hat sich aus einem neuen Netzwerk, ${network}, bei Ihrem Konto angemeldet: ${device ?? UNKNOWN_DEVICE}. ${CHANGE_PASSWORD}`,
    ],
    'security.new-identity': ({ holdUntil }) => [
      'Anmeldung mit einer neuen Identität',
      'Mit Ihrer E-Mail-Adresse hat sich ein Konto des Identitätsanbieters angemeldet, das sich bei uns noch nie angemeldet hatte. ' +
        (holdUntil === null
          ? ''
          : `Auszahlungen, neue Auszahlungsadressen, Wallets und API-Schlüssel mit Schreibrechten werden bis ${holdUntil} abgelehnt. `) +
        `Wenn Sie das nicht waren, ${SUPPORT_NOW}.`,
    ],
    'security.status-changed': ({ status, reason }) => [
      'Status des Kontos geändert',
      sentences(STATUSES[status], because(reason)),
    ],
    'security.wallet-linked': ({ wallet }) => [
      'Wallet verknüpft',
      `Die Wallet ${wallet} kann sich jetzt bei Ihrem Konto anmelden.`,
    ],
    'security.wallet-unlinked': ({ wallet }) => [
      'Wallet getrennt',
      `Die Wallet ${wallet} kann sich nicht mehr bei Ihrem Konto anmelden. Ihre Sitzungen sind beendet.`,
    ],
    'security.wallet-suspended': ({ wallet }) => [
      'Wallet gesperrt',
      `Ihre E-Mail-Adresse wurde geändert. Die Wallet ${wallet} kann sich erst wieder anmelden, wenn Sie sie erneut verknüpfen.`,
    ],
    'security.email-off': () => [
      'E-Mails abgeschaltet',
      `E-Mails über Einzahlungen wurden abgeschaltet. E-Mails über Auszahlungen und die Sicherheit Ihres Kontos senden wir weiterhin. ${END_SESSIONS}`,
    ],
    'security.factor-added': ({ factor }) => [
      'Zweiter Faktor hinzugefügt',
      `Zu Ihrem Konto hinzugefügt: ${FACTORS[factor]}. ${END_SESSIONS}`,
    ],
    'security.factor-removed': ({ factor }) => [
      'Zweiter Faktor entfernt',
      `Von Ihrem Konto entfernt: ${FACTORS[factor]}. Auszahlungen sind eine Zeit lang gesperrt. ${END_SESSIONS}`,
    ],
    'security.recovery-code-used': () => [
      'Wiederherstellungscode benutzt',
      `Ein Wiederherstellungscode Ihres Kontos wurde benutzt. Auszahlungen sind eine Zeit lang gesperrt. ${END_SESSIONS}`,
    ],
    'security.second-factor-failed': () => [
      'Falsche Antworten des zweiten Faktors',
      `Ihr zweiter Faktor wurde innerhalb von fünfzehn Minuten fünfmal falsch beantwortet. ${END_SESSIONS}`,
    ],
    'security.factors-reset': () => [
      'Zweite Faktoren entfernt',
      'Zwei Administratoren haben alle zweiten Faktoren Ihres Kontos entfernt. Alle Sitzungen sind beendet, und Auszahlungen sind eine Zeit lang gesperrt.',
    ],
    'security.account-locked': ({ reason }) => [
      'Konto gesperrt',
      sentences(
        'Ihr Konto wurde gesperrt. Bis es entsperrt wird, lehnen wir Auszahlungen und Änderungen an Adressen, API-Schlüsseln, Wallets, Webhooks und zweiten Faktoren ab.',
        because(reason),
      ),
    ],
    'security.account-unlocked': () => [
      'Konto entsperrt',
      'Ihr Konto wurde entsperrt. Auszahlungen sind wieder möglich.',
    ],
    'security.tier-changed': ({ tier }) => [
      'Limits geändert',
      `Für Ihr Konto gelten jetzt die Limits der Stufe „${tier}“. Wenn Sie das nicht erwartet haben, ${SUPPORT}.`,
    ],
    'security.webhook-created': ({ host }) => [
      'Webhook erstellt',
      `Ein Webhook an ${host} wurde erstellt. ${END_SESSIONS}`,
    ],
    'security.webhook-changed': ({ host }) => [
      'Webhook geändert',
      `Ein Webhook an ${host} wurde geändert. ${END_SESSIONS}`,
    ],
    'security.webhook-removed': ({ host }) => [
      'Webhook gelöscht',
      `Ein Webhook an ${host} wurde gelöscht. ${END_SESSIONS}`,
    ],
    'email.changed': () => [
      'E-Mail-Adresse geändert',
      'Die E-Mail-Adresse Ihres Kontos wurde geändert. Ihre Sitzungen sind beendet, Ihre Wallets gesperrt, Ihre API-Schlüssel ' +
        `widerrufen und Ihre Webhooks abgeschaltet. Wenn Sie das nicht veranlasst haben, ${SUPPORT}.`,
    ],
    'address.added': ({ address, label }) => [
      'Auszahlungsadresse hinzugefügt',
      `Die Adresse ${address} wurde als „${label}“ zu Ihrem Adressbuch hinzugefügt. ` +
        `Wenn Sie das nicht waren, entfernen Sie sie, beenden Sie Ihre anderen Sitzungen und ${SUPPORT}.`,
    ],
    'address.removed': ({ address, label }) => [
      'Auszahlungsadresse entfernt',
      `Die Adresse ${address}, „${label}“, wurde aus Ihrem Adressbuch entfernt. ${END_SESSIONS}`,
    ],
    'api-key.created': ({ keyName, prefix }) => [
      'API-Schlüssel erstellt',
      `Der API-Schlüssel „${keyName}“ (${prefix}…) wurde erstellt. Widerrufen Sie ihn, wenn Sie ihn nicht erstellt haben.`,
    ],
    'api-key.revoked': ({ keyName, prefix }) => [
      'API-Schlüssel widerrufen',
      `Der API-Schlüssel „${keyName}“ (${prefix}…) wurde widerrufen. Er wird ab sofort abgelehnt.`,
    ],
    'api-key.used-from-new-network': ({ keyName, prefix, address }) => [
      'API-Schlüssel aus einem neuen Netzwerk verwendet',
      `Der API-Schlüssel „${keyName}“ (${prefix}…) wurde zum ersten Mal von ${address} aus verwendet. Widerrufen Sie ihn, wenn Sie diese Adresse nicht kennen.`,
    ],
  },
};

function payoutText({ paid, principal, growth, fees }: Payout): string {
  return `${paid} sind wieder verfügbar: ${principal} Anlagebetrag, ${growth} Ertrag, ${fees} Gebühren.`;
}

/** The reason of an admin. */
function because(reason: string | null): string | null {
  return reason && `Begründung: ${reason}`;
}
