interface AlertTexts {
  readonly name: readonly [english: string, german: string];
  /**
   * Replaces message and next step, which the service sends in English and with the figures of the case. If the next step depends on
   * the case, it is missing here; `next-steps.ts` has it.
   */
  readonly german: readonly [message: string, nextStep?: string];
}

/** The texts of alerts, by the kind. */
export const ALERTS: Readonly<Record<string, AlertTexts>> = {
  'deposit-reorganised': {
    name: ['Deposit contradicted', 'Einzahlung widersprochen'],
    german: ['Die Chain oder der Einzahlungsanbieter widerspricht dem Stand einer Einzahlung.'],
  },
  'withdrawal-paid-after-failure': {
    name: ['Paid after its end', 'Nachträglich gezahlt'],
    german: ['Die Chain zeigt eine Zahlung für eine Auszahlung, die schon beendet ist.'],
  },
  'second-transfer': {
    name: ['Reported twice', 'Zweimal gemeldet'],
    german: [
      'Der Einzahlungsanbieter meldet eine Überweisung unter einer zweiten Id, die die Chain nur einmal zeigt.',
    ],
  },
  'clock-apart': {
    name: ['Clock', 'Uhr'],
    german: [
      'Die Uhr eines Prozesses weicht um mehr als eine Minute von der Uhr der Datenbank ab.',
      'Stellen Sie die Uhr des genannten Rechners. Bis dahin nimmt sein Prozess keine Änderungen an. Gibt es den Rechner nicht mehr, erledigen Sie die Warnung.',
    ],
  },
  'admins-file': {
    name: ['List of admins', 'Liste der Admins'],
    german: [
      'ADMINS_FILE ist nicht lesbar oder hat einen ungültigen Eintrag.',
      'Berichtigen Sie die Datei; das Log nennt den Fehler. Die letzte gültige Liste gilt fünf Minuten, danach verlieren Admins ohne gültigen Eintrag den Zugang.',
    ],
  },
  'screening-away': {
    name: ['Screening away', 'Prüfung ausgefallen'],
    german: [
      'Der Anbieter der Prüfung antwortet nicht: Auszahlungen ohne frisches Ergebnis warten.',
      'Lesen Sie die Ursache im Log. Der Dienst fragt, bis der Anbieter antwortet.',
    ],
  },
  'screening-blocked': {
    name: ['Blocked by the screening', 'Von der Prüfung gesperrt'],
    german: [
      'Der Anbieter der Prüfung sperrt diesen Nutzer oder diese Adresse.',
      'Lehnen Sie die Auszahlungen ab, die darauf warten, und folgen Sie dem Verfahren der Compliance.',
    ],
  },
  'screening-review': {
    name: ['Review by the screening', 'Prüfung nachsehen'],
    german: [
      'Der Anbieter der Prüfung verlangt, dass jemand diesen Nutzer ansieht.',
      'Vergleichen Sie den Nutzer mit dem Befund des Anbieters. Akzeptieren Sie ihn mit einem Grund, oder suspendieren Sie den Nutzer und folgen Sie dem Verfahren der Compliance.',
    ],
  },
  'log-restored': {
    name: ['Log restored', 'Log wiederhergestellt'],
    german: [
      'Die Datenbank wurde aus einer Sicherung wiederhergestellt. Keine Buchung kommt ins Transparenzlog.',
      'Suchen Sie den neuesten Prüfpunkt, der davor veröffentlicht wurde, und setzen Sie das Log unter „Transparenzlog“ mit ihm fort.',
    ],
  },
  'payment-mismatch': {
    name: ['Payment contradicted', 'Zahlung widersprochen'],
    german: [
      'Die Chain widerspricht der Zahlung einer abgeschlossenen Auszahlung oder Buchung.',
      'Suchen Sie die Zahlung bei der Verwahrstelle. Hat eine andere Transaktion sie gezahlt, erledigen Sie die Warnung mit deren Hash als Grund. Hat nichts sie gezahlt, fragen Sie, wer den Hash eingegeben hat (Audit-Log), zahlen Sie, und halten Sie Auszahlungen unter „Integrität“ an, wenn Geld fehlt.',
    ],
  },
  'large-deposit': {
    name: ['Large deposit', 'Große Einzahlung'],
    german: [
      'Eine große Einzahlung wurde allein auf das Wort des Einzahlungsanbieters gutgeschrieben: Der Dienst liest diese Chain nicht.',
      'Vergleichen Sie Betrag, Adresse und Transaktion mit dem Anbieter und einem Explorer, bevor das Geld hinausgeht: Bis dahin geben Sie keine Auszahlung dieses Nutzers frei, und zahlen Sie keine. Gab es die Überweisung nicht, buchen Sie die Gutschrift zurück; gab es sie, erledigen Sie die Warnung.',
    ],
  },
  'events-behind': {
    name: ['Events late', 'Ereignisse verspätet'],
    german: [
      'Ein Verbraucher hat ein Ereignis mehr als eine Minute lang nicht bearbeitet.',
      'Beenden Sie die älteste schreibende Transaktion der Datenbank; gibt es keine, lesen Sie das Log.',
    ],
  },
  'events-parked': {
    name: ['Events passed over', 'Ereignisse übergangen'],
    german: [
      'Ein Verbraucher konnte ein Ereignis nicht bearbeiten und hat es übergangen.',
      'Beheben Sie die Ursache, und übergeben Sie das Ereignis unter „Ereignisse“ noch einmal.',
    ],
  },
  'event-webhook-failing': {
    name: ['Event webhook', 'Ereignis-Webhook'],
    german: [
      'EVENT_WEBHOOK_URL hat fünf Minuten lang kein Ereignis angenommen. Die folgenden warten.',
      'Lesen Sie die Ursache im Log, und bringen Sie den Empfänger in Ordnung. Der Dienst wiederholt das Ereignis von selbst.',
    ],
  },
  'forged-credential': {
    name: ['Forged credential', 'Gefälschter Zugang'],
    german: [
      'Eine Tabelle der Zugänge hat eine Zeile, die der Dienst nicht geschrieben hat. Sie öffnet nichts.',
      'Finden Sie heraus, wer in die Datenbank schreiben kann, und löschen Sie die Zeile.',
    ],
  },
  'record-differs': {
    name: ['Record differs', 'Vorgang weicht ab'],
    german: [
      'Ein Vorgang widerspricht dem Hauptbuch. Er wird nicht gutgeschrieben.',
      'Jemand hat ihn vielleicht in der Datenbank geändert. Lesen Sie „Integrität“, finden Sie heraus, wer Zugang hatte, und berichtigen Sie ihn.',
    ],
  },
  'job-overdue': {
    name: ['Job overdue', 'Job überfällig'],
    german: [
      'Ein Hintergrundjob ist seit drei seiner Abstände nicht gelungen.',
      'Lesen Sie die Warnungen von Jobs und Leases im Log; gibt es keine, lesen Sie die Zeile des Jobs in den Tabellen lease und job_run.',
    ],
  },
  'deposit-unconfirmed': {
    name: ['Deposit unconfirmed', 'Einzahlung unbestätigt'],
    german: [
      'Der Einzahlungsanbieter meldet Erfolg ohne die nötigen Bestätigungen. Es ist nichts gutgeschrieben.',
    ],
  },
  'unknown-tier': {
    name: ['Unknown limits', 'Unbekannte Grenzen'],
    german: [
      'LIMITS_FILE kennt eine Stufe nicht, die Nutzer haben. Für sie gelten die strengsten Grenzen.',
      'Tragen Sie die Stufe in LIMITS_FILE ein und starten Sie neu, oder geben Sie den Nutzern andere („Grenzen ändern“ auf ihrer Seite).',
    ],
  },
  'platform-limit': {
    name: ['Limit of the platform', 'Grenze der Plattform'],
    german: [
      'Die Auszahlungen aller Nutzer haben in 24 Stunden 80 % der Grenze der Plattform erreicht. Anträge darüber warten.',
      'Finden Sie heraus, warum mehr als sonst ausgezahlt wird. Ist es in Ordnung, erhöhen Sie PLATFORM_WITHDRAWAL_PER_DAY, oder lassen Sie zwei Admins die wartenden freigeben.',
    ],
  },
};
