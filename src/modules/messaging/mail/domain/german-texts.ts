import type { LanguageTexts } from '../mail.types.js';

export const GERMAN: LanguageTexts = {
  greeting: (name) => `Guten Tag ${name},`,
  greetingWithoutName: 'Guten Tag,',
  several: (count) => `Dies ist innerhalb von zehn Minuten ${count}-mal geschehen:`,
  unlisted: (count) => `Und ${count} weitere, die Ihr Konto zeigt.`,
  kinds: {
    'withdrawal.requested': {
      subject: ({ amount }) => `Auszahlung von ${amount} beantragt`,
      message: 'Sie haben eine Auszahlung beantragt. Der Betrag ist reserviert, bis sie ausgeführt ist.',
      advice:
        'Wenn Sie das nicht waren, stornieren Sie die Auszahlung und schreiben Sie bitte sofort unserem Support.',
    },
    'withdrawal.approved': {
      subject: ({ amount }) => `Auszahlung von ${amount} freigegeben`,
      message: 'Ihre Auszahlung wurde freigegeben. Sie wird ausgeführt und kann nicht mehr storniert werden.',
      advice: 'Wenn Sie sie nicht beantragt haben, schreiben Sie bitte sofort unserem Support.',
    },
    'withdrawal.taken': {
      subject: ({ amount }) => `Auszahlung von ${amount} in Arbeit`,
      message: 'Ihre Auszahlung wird ausgeführt und kann nicht mehr storniert werden.',
      advice: 'Wenn Sie sie nicht beantragt haben, schreiben Sie bitte sofort unserem Support.',
    },
    'withdrawal.completed': {
      subject: ({ amount }) => `Auszahlung von ${amount} ausgeführt`,
      message: 'Ihre Auszahlung ist gesendet worden.',
    },
    'withdrawal.rejected': {
      subject: ({ amount }) => `Auszahlung von ${amount} abgelehnt`,
      message: 'Ihre Auszahlung wurde abgelehnt. Der Betrag ist wieder verfügbar.',
    },
    'withdrawal.cancelled': {
      subject: ({ amount }) => `Auszahlung von ${amount} storniert`,
      message: 'Ihre Auszahlung wurde storniert. Der Betrag ist wieder verfügbar.',
      advice:
        'Wenn Sie das nicht waren, beenden Sie Ihre anderen Sitzungen und schreiben Sie bitte unserem Support.',
    },
    'withdrawal.failed': {
      subject: ({ amount }) => `Auszahlung von ${amount} fehlgeschlagen`,
      message:
        'Ihre Auszahlung wurde nicht ausgeführt. Der Betrag bleibt reserviert, bis wir den Vorgang geprüft haben.',
    },
    'withdrawal.released': {
      subject: ({ amount }) => `Auszahlungsbetrag von ${amount} freigegeben`,
      message: 'Ihre Auszahlung wurde nicht ausgeführt. Der Betrag ist wieder verfügbar.',
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
    'security.new-network': {
      subject: () => 'Anmeldung aus einem neuen Netzwerk',
      message:
        'Ein Gerät, das Sie schon verwendet haben, hat sich aus einem für das Gerät neuen Netzwerk bei Ihrem Konto angemeldet.',
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
    'security.wallet-unlinked': {
      subject: () => 'Wallet von Ihrem Konto getrennt',
      message:
        'Eine Wallet kann sich nicht mehr bei Ihrem Konto anmelden. Die Sitzungen dieser Wallet sind beendet.',
      advice: 'Wenn Sie das nicht waren, schreiben Sie bitte sofort unserem Support.',
    },
    'security.email-off': {
      subject: () => 'E-Mails abgeschaltet',
      message:
        'E-Mails über Einzahlungen wurden in Ihrem Profil abgeschaltet. E-Mails über Auszahlungen und die Sicherheit Ihres Kontos senden wir weiterhin.',
      advice:
        'Wenn Sie das nicht waren, beenden Sie Ihre anderen Sitzungen und schreiben Sie bitte sofort unserem Support.',
    },
    'security.factor-added': {
      subject: () => 'Zweiter Faktor Ihres Kontos geändert',
      message: 'Ein Passkey, Einmalcodes oder Wiederherstellungscodes wurden zu Ihrem Konto hinzugefügt.',
      advice:
        'Wenn Sie das nicht waren, beenden Sie Ihre anderen Sitzungen und schreiben Sie bitte sofort unserem Support.',
    },
    'security.factor-removed': {
      subject: () => 'Zweiter Faktor von Ihrem Konto entfernt',
      message:
        'Ein Passkey oder die Einmalcodes wurden von Ihrem Konto entfernt. Auszahlungen sind eine Zeit lang gesperrt.',
      advice:
        'Wenn Sie das nicht waren, beenden Sie Ihre anderen Sitzungen und schreiben Sie bitte sofort unserem Support.',
    },
    'security.recovery-code-used': {
      subject: () => 'Wiederherstellungscode benutzt',
      message:
        'Ein Wiederherstellungscode Ihres Kontos wurde benutzt. Auszahlungen sind eine Zeit lang gesperrt.',
      advice:
        'Wenn Sie das nicht waren, beenden Sie Ihre anderen Sitzungen und schreiben Sie bitte sofort unserem Support.',
    },
    'security.second-factor-failed': {
      subject: () => 'Falsche Antworten Ihres zweiten Faktors',
      message:
        'Ihr zweiter Faktor wurde innerhalb von fünfzehn Minuten fünfmal falsch beantwortet. Weitere Antworten werden vorerst abgelehnt.',
      advice:
        'Wenn Sie das nicht waren, hat jemand Zugriff auf Ihre Sitzung: Beenden Sie sofort Ihre anderen Sitzungen.',
    },
    'security.factors-reset': {
      subject: () => 'Alle zweiten Faktoren Ihres Kontos entfernt',
      message:
        'Administratoren haben alle Passkeys, Einmalcodes und Wiederherstellungscodes Ihres Kontos entfernt. Alle Sitzungen sind beendet, und Auszahlungen sind eine Zeit lang gesperrt.',
      advice: 'Wenn Sie das nicht veranlasst haben, schreiben Sie bitte sofort unserem Support.',
    },
    'security.account-locked': {
      subject: () => 'Ihr Konto ist gesperrt',
      message:
        'Ihr Konto wurde gesperrt. Bis es entsperrt wird, kann kein Geld das Konto verlassen: Auszahlungen sowie Änderungen an Adressen, API-Schlüsseln, Wallets, Webhooks und zweiten Faktoren werden abgelehnt.',
      advice:
        'Wenn jemand anderes Ihr Konto benutzt hat, ändern Sie Ihr Passwort beim Identitätsanbieter. Entsperren Sie das Konto danach mit Ihrem zweiten Faktor, oder schreiben Sie bitte unserem Support.',
    },
    'security.account-unlocked': {
      subject: () => 'Ihr Konto ist entsperrt',
      message: 'Ihr Konto wurde entsperrt. Auszahlungen sind wieder möglich.',
      advice:
        'Wenn Sie das nicht waren, sperren Sie das Konto sofort wieder und schreiben Sie bitte unserem Support.',
    },
    'security.tier-changed': {
      subject: () => 'Limits Ihres Kontos geändert',
      message: 'Ihr Konto hat jetzt eine andere Stufe, die die Limits für Auszahlungen und Anlagen festlegt.',
      advice: 'Wenn Sie das nicht erwartet haben, schreiben Sie unserem Support.',
    },
    'security.webhook-created': {
      subject: () => 'Webhook zu Ihrem Konto hinzugefügt',
      message: 'Ein Webhook wurde erstellt. Sein Empfänger erhält Ereignisse Ihres Kontos.',
      advice:
        'Wenn Sie das nicht waren, löschen Sie den Webhook, beenden Sie Ihre anderen Sitzungen und schreiben Sie bitte unserem Support.',
    },
    'security.webhook-changed': {
      subject: () => 'Webhook Ihres Kontos geändert',
      message: 'Die URL, die Ereignisse, der Status oder das Geheimnis eines Webhooks wurde geändert.',
      advice:
        'Wenn Sie das nicht waren, beenden Sie Ihre anderen Sitzungen und schreiben Sie bitte unserem Support.',
    },
    'security.webhook-removed': {
      subject: () => 'Webhook Ihres Kontos gelöscht',
      message: 'Ein Webhook wurde gelöscht. Sein Empfänger erhält keine Ereignisse Ihres Kontos mehr.',
      advice:
        'Wenn Sie das nicht waren, beenden Sie Ihre anderen Sitzungen und schreiben Sie bitte unserem Support.',
    },
    'security.webhook-disabled': {
      subject: () => 'Webhook Ihres Kontos abgeschaltet',
      message:
        'Mehr als 1.000 Ereignisse warten auf Ihre Webhooks. Der Webhook, der sie am längsten scheitern lässt oder verzögert, wurde abgeschaltet.',
      advice:
        'Reparieren Sie seinen Empfänger und schalten Sie den Webhook wieder ein: Die wartenden Ereignisse werden dann gesendet.',
    },
    'api-key.created': {
      subject: () => 'API-Schlüssel zu Ihrem Konto hinzugefügt',
      message:
        'Ein API-Schlüssel wurde erstellt. Wer ihn besitzt, kann im Rahmen seiner Rechte für Sie handeln.',
      advice:
        'Wenn Sie das nicht waren, widerrufen Sie den Schlüssel und schreiben Sie bitte sofort unserem Support.',
    },
    'api-key.revoked': {
      subject: () => 'API-Schlüssel widerrufen',
      message: 'Ein API-Schlüssel wurde widerrufen. Er wird ab sofort abgelehnt.',
      advice:
        'Wenn Sie das nicht waren, beenden Sie Ihre anderen Sitzungen und schreiben Sie bitte unserem Support.',
    },
    'api-key.used-from-new-network': {
      subject: () => 'API-Schlüssel aus einem neuen Netzwerk verwendet',
      message: 'Ein API-Schlüssel wurde zum ersten Mal aus einem Netzwerk verwendet.',
      advice:
        'Wenn Sie das Netzwerk nicht kennen, widerrufen Sie den Schlüssel und schreiben Sie bitte sofort unserem Support.',
    },
    'address.added': {
      subject: () => 'Auszahlungsadresse hinzugefügt',
      message: 'Zu Ihrem Adressbuch für Auszahlungen wurde eine Adresse hinzugefügt.',
      advice:
        'Wenn Sie das nicht waren, entfernen Sie die Adresse und schreiben Sie bitte sofort unserem Support.',
    },
    'address.removed': {
      subject: () => 'Auszahlungsadresse entfernt',
      message: 'Aus Ihrem Adressbuch für Auszahlungen wurde eine Adresse entfernt.',
      advice:
        'Wenn Sie das nicht waren, beenden Sie Ihre anderen Sitzungen und schreiben Sie bitte unserem Support.',
    },
    'email.changed': {
      subject: () => 'E-Mail-Adresse Ihres Kontos geändert',
      message:
        'Die E-Mail-Adresse Ihres Kontos wurde geändert. Alle Sitzungen sind beendet, alle Wallets sind gesperrt, und alle API-Schlüssel sind widerrufen.',
      advice: 'Wenn Sie das nicht veranlasst haben, schreiben Sie bitte sofort unserem Support.',
    },
    'approval.requested': {
      subject: () => 'Eine Änderung wartet auf Ihre Freigabe',
      message:
        'Eine Administratorin oder ein Administrator hat eine Änderung beantragt, die eine zweite Person freigibt oder ablehnt: siehe /api/admin/approvals.',
      advice: 'Fragen Sie auf einem anderen Weg als E-Mail nach, wenn Sie den Antrag nicht erwartet haben.',
    },
    'approval.decided': {
      subject: () => 'Über Ihren Antrag wurde entschieden',
      message: 'Über eine Änderung, die Sie beantragt haben, wurde entschieden.',
    },
    'admin.password-set': {
      subject: () => 'Passwort für Ihr Administratorkonto gesetzt',
      message:
        'Eine andere Person mit Administratorrechten hat das erste Passwort Ihres Kontos gesetzt. Ändern Sie es, bevor Sie etwas entscheiden.',
      advice: 'Wenn Sie das nicht veranlasst haben, informieren Sie sofort die anderen Administratoren.',
    },
    'admin.password-changed': {
      subject: () => 'Passwort Ihres Administratorkontos geändert',
      message: 'Das Passwort Ihres Administratorkontos wurde geändert. Ihre anderen Sitzungen sind beendet.',
      advice: 'Wenn Sie das nicht waren, informieren Sie sofort die anderen Administratoren.',
    },
    'admin.factor-added': {
      subject: () => 'Zweiter Faktor zu Ihrem Administratorkonto hinzugefügt',
      message:
        'Ein Passkey, Einmalcodes oder neue Wiederherstellungscodes wurden zu Ihrem Administratorkonto hinzugefügt.',
      advice: 'Wenn Sie das nicht waren, informieren Sie sofort die anderen Administratoren.',
    },
    'admin.factor-removed': {
      subject: () => 'Zweiter Faktor von Ihrem Administratorkonto entfernt',
      message: 'Ein Passkey oder die Einmalcodes wurden von Ihrem Administratorkonto entfernt.',
      advice: 'Wenn Sie das nicht waren, informieren Sie sofort die anderen Administratoren.',
    },
    'admin.factor-reset': {
      subject: () => 'Zweite Faktoren Ihres Administratorkontos zurückgesetzt',
      message:
        'Andere Personen mit Administratorrechten haben alle zweiten Faktoren Ihres Kontos entfernt. Ihre Sitzungen sind beendet. Melden Sie sich an und registrieren Sie einen neuen.',
      advice: 'Wenn Sie das nicht veranlasst haben, informieren Sie sofort die anderen Administratoren.',
    },
    'admin.recovery-code-used': {
      subject: () => 'Wiederherstellungscode Ihres Administratorkontos verwendet',
      message: 'Ein Wiederherstellungscode wurde für Ihr Administratorkonto verwendet.',
      advice: 'Wenn Sie das nicht waren, informieren Sie sofort die anderen Administratoren.',
    },
    'admin.second-factor-failed': {
      subject: () => 'Falsche Antworten eines zweiten Faktors Ihres Administratorkontos',
      message:
        'Antworten eines zweiten Faktors Ihres Administratorkontos waren mehrmals falsch. Die Person, die sie geschickt hat, kennt vielleicht Ihr Passwort.',
      advice:
        'Wenn Sie das nicht waren, ändern Sie Ihr Passwort und informieren Sie sofort die anderen Administratoren.',
    },
  },
  details: {
    amount: 'Betrag',
    credited: 'Gutgeschrieben',
    network: 'Netzwerk',
    to: 'An',
    txHash: 'Transaktion',
    device: 'Gerät',
    clientNetwork: 'Aus dem Netzwerk',
    status: 'Status',
    tier: 'Stufe',
    wallet: 'Wallet',
    label: 'Bezeichnung',
    address: 'Adresse',
    usableFrom: 'Verwendbar ab',
    keyName: 'Name',
    keyPrefix: 'Beginnt mit',
    webhook: 'Webhook',
    oldEmail: 'Alte Adresse',
    newEmail: 'Neue Adresse',
    suspendedWallets: 'Gesperrte Wallets',
    revokedKeys: 'Widerrufene API-Schlüssel',
    disabledWebhooks: 'Abgeschaltete Webhooks',
    change: 'Änderung',
    record: 'Betrifft',
    decision: 'Entscheidung',
    requestedBy: 'Beantragt von',
    decidedBy: 'Entschieden von',
    reason: 'Grund',
    note: 'Anmerkung',
    holdUntil: 'Keine Auszahlungen bis',
    at: 'Zeit',
  },
  statuses: { active: 'aktiv', inactive: 'deaktiviert', suspended: 'gesperrt' },
  lock: {
    message:
      'Wenn Sie vermuten, dass jemand anderes Ihr Konto benutzt, sperren Sie es. Der Link gilt sieben Tage und nur einmal:',
    link: 'Mein Konto sperren',
  },
  footer: {
    optional: 'E-Mails über Einzahlungen können Sie in Ihrem Profil abschalten.',
    security: 'E-Mails über Auszahlungen und die Sicherheit Ihres Kontos lassen sich nicht abschalten.',
  },
};
