/** German for messages of the API that are more specific than that of their code, by the English message. `{…}` stands for a value. */
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
  'The account of the user is locked, so a thief may have requested this. Ask the user; then unlock the account, or reject the withdrawal.':
    'Das Konto des Nutzers ist gesperrt, also hat das vielleicht ein Dieb beantragt. Fragen Sie den Nutzer; entsperren Sie dann das Konto, oder lehnen Sie die Auszahlung ab',
  'The start date must not be after the end date.': 'Der erste Tag darf nicht nach dem letzten liegen',
  'The start date must not be after today, {day} (UTC).':
    'Der erste Tag darf nicht nach heute liegen, dem {day} (UTC)',
  'The end date must not be after tomorrow, {day} (UTC).':
    'Der letzte Tag darf nicht nach morgen liegen, dem {day} (UTC)',
  'Dates before 1970 are not supported.': 'Tage vor 1970 sind nicht möglich',
  'At most {count} days: choose a shorter range.':
    'Höchstens {count} Tage: Wählen Sie einen kürzeren Zeitraum',
  'At most {count} intervals: choose a shorter range.':
    'Höchstens {count} Abschnitte: Wählen Sie einen kürzeren Zeitraum',
  'At most {count} movements in a PDF: choose a shorter range.':
    'Höchstens {count} Bewegungen in einem PDF: Wählen Sie einen kürzeren Zeitraum',
  'The link was used, or is older than {days} days. Use the link of a newer mail, or sign in and lock the account.':
    'Der Link wurde schon verwendet oder ist älter als {days} Tage. Verwenden Sie den Link einer neueren Mail, oder melden Sie sich an und sperren Sie das Konto',
  'No account is linked to this wallet. Register it first.':
    'Mit dieser Wallet ist kein Konto verknüpft. Registrieren Sie sie zuerst',
  'Admins sign in with the identity provider or with their password.':
    'Admins melden sich beim Identitätsanbieter oder mit ihrem Passwort an',
  'This wallet is the only way to sign in to the account. Sign in by e-mail once, or link another wallet first.':
    'Nur mit dieser Wallet können Sie sich anmelden. Melden Sie sich zuerst einmal per E-Mail an, oder verknüpfen Sie eine andere Wallet',
  'This address has received test USDC in the last 24 hours. Ask again later.':
    'Diese Adresse hat in den letzten 24 Stunden schon Test-USDC bekommen. Fragen Sie später noch einmal',
  'USDC sent to this address would not reach you. Enter the address of your own wallet.':
    'USDC an diese Adresse würden Sie nicht erreichen. Geben Sie die Adresse Ihrer eigenen Wallet ein',
  '{count} claimed transactions still wait for the chain to show them. Wait for these first.':
    '{count} gemeldete Transaktionen warten noch darauf, dass die Chain sie zeigt. Warten Sie zuerst auf diese',
  'Register a second factor (docs/access.md), then sign in with it.':
    'Richten Sie einen zweiten Faktor ein, und melden Sie sich dann mit ihm an',
  'The smallest withdrawal is {minimum} USDC.': 'Die kleinste Auszahlung ist {minimum} USDC',
  'The amount must be above zero.': 'Der Betrag muss größer als null sein',
  'At most {amount} USDC of this deposit can be taken back.':
    'Von dieser Einzahlung lassen sich höchstens {amount} USDC zurückbuchen',
  'The investment is in this strategy already.': 'Die Anlage ist schon in dieser Strategie',
  'An operator had begun to pay this withdrawal, so it can no longer be cancelled. Support can reject it.':
    'Die Zahlung dieser Auszahlung hatte schon begonnen, also lässt sie sich nicht mehr stornieren. Der Support kann sie ablehnen',
  'An operator has locked the account, or it had a security hold or a new second factor when it was locked. Ask the support to unlock it.':
    'Ein Admin hat das Konto gesperrt, oder es hatte beim Sperren eine Sicherheitsfrist oder einen neuen zweiten Faktor. Bitten Sie den Support, es zu entsperren',
  'The user is {status}. Make the user active again first, or reject the withdrawal.':
    'Der Nutzer ist nicht aktiv. Aktivieren Sie ihn zuerst wieder, oder lehnen Sie die Auszahlung ab',
  'The withdrawals of all users have reached PLATFORM_WITHDRAWAL_PER_DAY. The withdrawal waits until there is room, or until two admins release it.':
    'Die Auszahlungen aller Nutzer haben die Grenze der Plattform erreicht. Die Auszahlung wartet, bis Platz ist oder zwei Admins sie freigeben',
  'The withdrawal has changed while the chain was searched for its payment. Look at it again.':
    'Die Auszahlung hat sich geändert, während die Chain nach ihrer Zahlung durchsucht wurde. Sehen Sie sie noch einmal an',
  'The chain cannot be searched back to the request of this withdrawal, so that it may be paid already. Try again shortly. If the request is older than a week, complete it, or reject it with the approval of another admin.':
    'Die Chain lässt sich nicht bis zum Antrag dieser Auszahlung durchsuchen, also ist sie vielleicht schon gezahlt. Versuchen Sie es gleich noch einmal. Ist der Antrag über eine Woche alt, schließen Sie sie ab, oder lehnen Sie sie mit der Freigabe eines anderen Admins ab',
  'The chain shows a payment of this withdrawal: {hash}. Complete it.':
    'Die Chain zeigt eine Zahlung dieser Auszahlung: {hash}. Schließen Sie sie ab',
  'The chain shows another payment than at the request.':
    'Die Chain zeigt eine andere Zahlung als beim Antrag',
  'The amount of this withdrawal is still reserved: complete it with the hash of its payment.':
    'Der Betrag dieser Auszahlung ist noch reserviert: Schließen Sie sie mit dem Hash ihrer Zahlung ab',
  'No alert reports a payment of this withdrawal. Leave withdrawalId out.':
    'Keine Warnung meldet eine Zahlung dieser Auszahlung. Lassen Sie deren Id weg',
  'The user has withdrawals in progress. Complete or reject them first.':
    'Der Nutzer hat Auszahlungen in Arbeit. Schließen Sie sie zuerst ab, oder lehnen Sie sie ab',
  'The clock of this process is wrong, so it rejects writes. Try again: another process may serve the request.':
    'Die Uhr dieses Prozesses geht falsch, also nimmt er keine Änderungen an. Versuchen Sie es noch einmal: Vielleicht antwortet ein anderer Prozess',
  'No standby of the database confirms commits, so nothing is written. Try again later.':
    'Keine zweite Datenbank bestätigt, was geschrieben wird, also wird nichts geschrieben. Versuchen Sie es später noch einmal',
  'The database has not confirmed the commit: the connection was lost, or no standby has confirmed it in time. The request may or may not have been carried out. Check before you repeat it, or repeat it with the same Idempotency-Key.':
    'Die Datenbank hat nicht bestätigt, was geschrieben wurde. Der Auftrag ist vielleicht ausgeführt, vielleicht nicht. Sehen Sie nach, bevor Sie ihn wiederholen',
  'The identity provider does not answer. Try again shortly.':
    'Der Identitätsanbieter antwortet nicht. Versuchen Sie es gleich noch einmal',
  'ADMINS_FILE does not list this admin or contains the password, or the admin is somebody else who has a password already.':
    'Dieser Admin steht nicht in ADMINS_FILE oder hat dort sein Passwort, oder es ist ein anderer, der schon ein Passwort hat',
  'The admin has no second factor.': 'Der Admin hat keinen zweiten Faktor',
  'Passkeys need a domain: the host of PUBLIC_URL is an IP address, and WEBAUTHN_RP_ID is not set.':
    'Passkeys brauchen eine Domain: Der Rechner in PUBLIC_URL ist eine IP-Adresse, und WEBAUTHN_RP_ID ist nicht gesetzt',
  'A request for this change is pending (details.approvalId). It has to be decided, or withdrawn by its requester, first.':
    'Für diese Änderung ist schon ein Antrag offen. Zuerst muss er entschieden oder zurückgezogen werden',
  'The audit log has no such request.': 'Das Audit-Log hat diesen Antrag nicht',
  'Another admin has to approve this (approvalId): the chain contradicts it or cannot be searched.':
    'Das muss ein anderer Admin freigeben: Die Chain widerspricht oder lässt sich nicht durchsuchen',
  'The checkpoint has {size} leaves and the restored log {restored}. Restore a newer backup.':
    'Der Prüfpunkt hat {size} Blätter und das wiederhergestellte Log {restored}. Stellen Sie eine neuere Sicherung wieder her',
  'There are violations that the request does not list: {violations}.':
    'Es gibt Verletzungen, die der Antrag nicht nennt: {violations}',
  'Older events were deleted after {days} days. Read the lists anew, and go on with the oldest event.':
    'Ältere Ereignisse wurden nach {days} Tagen gelöscht. Machen Sie mit dem ältesten Ereignis weiter',
  'This user has records of money, which must be kept. To deactivate the account instead, repeat the request without permanent=true.':
    'Dieser Nutzer hat Vorgänge mit Geld, die aufbewahrt werden müssen. Das Konto lässt sich nur deaktivieren',
  'The tier has changed since the request.': 'Die Stufe hat sich seit dem Antrag geändert',
  'The e-mail address has changed meanwhile. Send the request again.':
    'Die E-Mail-Adresse hat sich inzwischen geändert. Versuchen Sie es noch einmal',
  'The account was locked again since the request.': 'Das Konto wurde seit dem Antrag noch einmal gesperrt',
  'The e-mail address has changed since the request.': 'Die E-Mail-Adresse hat sich seit dem Antrag geändert',
  'The suspense account does not hold enough {currency} beside the money of held deposits.':
    'Das Zwischenkonto hat neben dem Geld angehaltener Einzahlungen nicht genug {currency}',
  'The amount of the {type} is that of the withdrawal it names: {amount} USDC.':
    'Der Betrag muss der der genannten Auszahlung sein: {amount} USDC',
  'The body is larger than {size}.': 'Das ist größer als {size}',
};
