/** German for messages of the API that are more specific than that of their code, by the English one. */
export const GERMAN_SENTENCES: Readonly<Record<string, string>> = {
  'Another admin has to decide this: you have requested or done a part of it.':
    'Das muss ein anderer Admin entscheiden: Sie haben einen Teil davon beantragt oder getan',
  'Another admin has set your password. Change it by POST /api/admin/auth/register before you decide anything.':
    'Ein anderer Admin hat Ihr Passwort gesetzt. Ändern Sie es mit POST /api/admin/auth/register, bevor Sie etwas entscheiden',
  'One of you has set the password or reset the second factors of the other within the last 30 days, or the same admin has done so for both. Another admin has to decide this.':
    'Einer von Ihnen hat in den letzten 30 Tagen das Passwort des anderen gesetzt oder dessen zweite Faktoren zurückgesetzt, oder ein dritter Admin beides. Das muss ein anderer Admin entscheiden',
  'One of the two accounts has a security hold: another account of the identity provider has signed in to it. Another admin has to decide this.':
    'Eines der beiden Konten hat eine Sicherheitssperre, weil sich ein anderes Konto des Identitätsanbieters daran angemeldet hat. Das muss ein anderer Admin entscheiden',
  'You have accepted the screening of this withdrawal. Another admin has to take it.':
    'Sie haben die Prüfung dieser Auszahlung akzeptiert. Ein anderer Admin muss sie übernehmen',
  'Only the admin who made the request can withdraw it.':
    'Zurückziehen kann den Antrag nur der Admin, der ihn gestellt hat',
  'Only the admin who has taken the withdrawal can return it.':
    'Zurückstellen kann die Auszahlung nur der Admin, der sie übernommen hat',
  'The request has changed since you read it. Read it again.':
    'Der Antrag hat sich geändert, seit Sie ihn gelesen haben. Lesen Sie ihn noch einmal',
  'This is a record of its own: reject it.': 'Das ist ein eigener Vorgang: Lehnen Sie ihn ab',
  'Withdrawals to toAddress are not permitted. Use another address.':
    'Auszahlungen an diese Adresse sind nicht erlaubt. Verwenden Sie eine andere',
  'A blocked user or address cannot be accepted.':
    'Ein gesperrter Nutzer oder eine gesperrte Adresse lässt sich nicht akzeptieren',
  'The screening provider has given another verdict since the request.':
    'Der Anbieter der Prüfung hat seit dem Antrag anders geurteilt',
  'There is no open review to accept.': 'Es gibt keine offene Prüfung, die zu akzeptieren wäre',
  'The screening provider has not answered yet. Try again shortly.':
    'Der Anbieter der Prüfung hat noch nicht geantwortet. Versuchen Sie es gleich noch einmal',
  'The chain cannot be searched now. Try again shortly.':
    'Die Chain lässt sich gerade nicht durchsuchen. Versuchen Sie es gleich noch einmal',
  'The reserved amount of this withdrawal has already been released.':
    'Der reservierte Betrag dieser Auszahlung ist schon wieder frei',
  'This withdrawal has failed, and the chain does not show that this transaction paid it.':
    'Diese Auszahlung ist fehlgeschlagen, und die Chain zeigt nicht, dass diese Transaktion sie gezahlt hat',
  'The withdrawal does not wait because of PLATFORM_WITHDRAWAL_PER_DAY.':
    'Die Auszahlung wartet nicht wegen der Grenze der Plattform',
  'Operators carry this transfer out: complete its transaction request.':
    'Operatoren führen diese Überweisung aus: Schließen Sie ihren Auftrag unter „Treasury“ ab',
  'A reversal of this withdrawal has already been requested.':
    'Eine Rückbuchung dieser Auszahlung ist schon beantragt',
  'Only a credited deposit can be taken back.': 'Nur eine gutgeschriebene Einzahlung lässt sich zurückbuchen',
  'Another report of this day has taken effect since the request. Compare both.':
    'Seit dem Antrag ist ein anderer Bericht dieses Tages wirksam geworden. Vergleichen Sie beide',
  'A consumer could not handle the event again. Read the log, and correct the cause.':
    'Ein Verbraucher konnte das Ereignis wieder nicht verarbeiten. Lesen Sie das Log, und beheben Sie die Ursache',
  'Another pause has begun since the request.': 'Seit dem Antrag wurden Auszahlungen noch einmal angehalten',
  'The restored log does not continue the checkpoint. Restore another backup.':
    'Das wiederhergestellte Log setzt den Prüfpunkt nicht fort. Stellen Sie eine andere Sicherung wieder her',
  'This wallet is linked to another account.': 'Diese Wallet ist mit einem anderen Konto verknüpft',
  'This account is not active.': 'Dieses Konto ist nicht aktiv',
  'This is an admin. Change the entry in ADMINS_FILE instead.':
    'Das ist ein Admin. Ändern Sie stattdessen den Eintrag in ADMINS_FILE',
};
