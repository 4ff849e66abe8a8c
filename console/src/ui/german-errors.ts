/**
 * The general message of each error code of the API, and its German. If a route sends a more specific message without a translation,
 * the German of the code precedes it. `{name}` is a field of the error's details; a part in brackets is left out if the field is missing.
 */
export const GERMAN_ERRORS: Readonly<Record<string, readonly [english: string, german: string]>> = {
  TOKEN_MISSING: [
    'Sign in first: send the header Authorization: Bearer <token>.',
    'Sie sind nicht angemeldet',
  ],
  TOKEN_EXPIRED: ['The token has expired. Sign in again.', 'Ihre Sitzung ist abgelaufen'],
  TOKEN_INVALID: ['The token is not valid. Sign in again.', 'Ihre Sitzung gilt nicht mehr'],
  SIGNATURE_INVALID: [
    'The signature could not be verified.',
    'Die Unterschrift ließ sich nicht prüfen[: {reason}]',
  ],
  NONCE_EXPIRED: [
    'The challenge is unknown, used or older than 5 minutes. Ask for a new one.',
    'Die Aufgabe ist unbekannt, verbraucht oder älter als fünf Minuten. Beginnen Sie noch einmal',
  ],
  SUPABASE_JWT_INVALID: [
    "The identity provider's token could not be verified. Sign in with the provider again.",
    'Das Token des Identitätsanbieters ließ sich nicht prüfen[ ({reason})]',
  ],
  EMAIL_MANDATORY: [
    'The account has no usable e-mail address. Correct it at the identity provider.',
    'Das Konto hat keine verwendbare E-Mail-Adresse',
  ],
  EMAIL_NOT_VERIFIED: [
    'Confirm the e-mail address at the identity provider first.',
    'Bestätigen Sie zuerst die E-Mail-Adresse bei Ihrem Identitätsanbieter',
  ],
  USER_CREATION_ERROR: [
    'The user could not be created. Try again.',
    'Der Nutzer ließ sich nicht anlegen. Versuchen Sie es noch einmal',
  ],
  JWT_GENERATION_ERROR: [
    'The token could not be made. Try again.',
    'Das Token ließ sich nicht erzeugen. Versuchen Sie es noch einmal',
  ],
  INVALID_CREDENTIALS: ['The e-mail or the password is wrong.', 'E-Mail-Adresse oder Passwort ist falsch'],
  INVALID_REFRESH_TOKEN: [
    'The refresh token is not valid. Sign in again.',
    'Die Sitzung gilt nicht mehr. Melden Sie sich noch einmal an',
  ],
  REFRESH_TOKEN_REVOKED: [
    'The refresh token was used or revoked. Sign in again.',
    'Die Sitzung wurde beendet. Melden Sie sich noch einmal an',
  ],
  ACCOUNT_DISABLED: ['This account is disabled.', 'Dieses Konto ist gesperrt'],
  INSUFFICIENT_PERMISSIONS: ['This account has no admin role.', 'Dieses Konto hat keine Rolle als Admin'],
  TOO_MANY_ATTEMPTS: [
    'Too many failed attempts. Wait and try again.',
    'Zu viele Fehlversuche. Warten Sie, und versuchen Sie es dann noch einmal',
  ],
  CSRF_INVALID: [
    'Send the csrfToken of the sign-in in the header X-CSRF-Token.',
    'Sie haben sich in einem anderen Reiter neu angemeldet. Laden Sie diese Seite neu',
  ],
  PERMISSION_DENIED: [
    'You are not permitted to do this.',
    'Ihre Rechte schließen das nicht ein[ ({required})]',
  ],
  FORBIDDEN: ['This is not permitted.', 'Das ist nicht erlaubt'],
  ADMIN_REQUIRED: ['An admin token is needed here.', 'Das geht nur mit dem Konto eines Admins'],
  NOT_ADMIN_TOKEN: ['This is not an admin token.', 'Das geht nur mit dem Konto eines Admins'],
  FOUR_EYES_REQUIRED: [
    'Another admin has to approve this first.',
    'Das muss zuerst ein anderer Admin freigeben',
  ],
  STEP_UP_REQUIRED: [
    'This action needs a second factor: ask for a step-up (POST /api/user/step-up or /api/admin/step-up), and send its token in the header X-Step-Up.',
    'Dafür ist ein zweiter Faktor nötig',
  ],
  STEP_UP_INVALID: [
    'The step-up does not cover this action. Ask for a new one.',
    'Die Bestätigung gilt nicht für diese Aktion. Beginnen Sie noch einmal',
  ],
  SECOND_FACTOR_REQUIRED: [
    'A second factor is required. Send the sign-in again with secondFactor: its id is details.id. A session without a second factor can only register one (status 403).',
    'Ein zweiter Faktor ist nötig',
  ],
  CODE_INVALID: [
    'The code or the response of the passkey is not right, or the code was used before.',
    'Der Code stimmt nicht, oder er wurde schon verwendet',
  ],
  PASSKEY_NOT_FOUND: ['The account has no such passkey.', 'Diesen Passkey gibt es nicht'],
  VALIDATION_ERROR: ['The request is not valid. See details.', 'Eine Angabe ist nicht gültig'],
  MISSING_REQUIRED_FIELD: ['A required field is missing. See details.', 'Eine Angabe fehlt'],
  INVALID_AMOUNT: [
    'The amount is not valid. See details.',
    'Der Betrag ist nicht gültig[, mindestens {minimum}][, höchstens {maximum}]',
  ],
  INVALID_EMAIL: ['The e-mail address is not valid.', 'Die E-Mail-Adresse ist nicht gültig'],
  INVALID_WALLET_ADDRESS: [
    'The wallet address must be 0x and 40 hex digits.',
    'Die Adresse muss aus 0x und 40 Hexadezimalziffern bestehen und bezahlbar sein',
  ],
  INVALID_TX_HASH: [
    'The transaction hash is not valid: it has 64 hex digits. See details.',
    'Der Hash ist nicht gültig: Er hat 64 Hexadezimalziffern',
  ],
  INVALID_DATE_RANGE: ['The start date must not be after the end date.', 'Dieser Zeitraum ist nicht möglich'],
  INVALID_PAGINATION: [
    'page starts at 1, limit goes from 1 to 100, and a cursor is next or previous of the same list.',
    'Diese Seite der Liste gibt es nicht',
  ],
  INVALID_PAGE: ['page starts at 1.', 'Diese Seite der Liste gibt es nicht'],
  INVALID_LIMIT: ['limit goes from 1 to 100.', 'Eine Seite hat 1 bis 100 Zeilen'],
  INVALID_STATUS: ['The status must be active, inactive or suspended.', 'Diesen Stand gibt es nicht'],
  REASON_REQUIRED: ['Give a reason.', 'Geben Sie einen Grund an'],
  CURRENCY_NOT_SUPPORTED: [
    'This currency is not supported.',
    'Diese Währung wird nicht unterstützt, nur {supported}',
  ],
  NETWORK_NOT_SUPPORTED: [
    'This network is not supported.',
    'Dieses Netz wird nicht unterstützt, nur {supported}',
  ],
  PAYLOAD_TOO_LARGE: ['The body is larger than this route allows.', 'Die Anfrage ist zu groß'],
  UNSUPPORTED_MEDIA_TYPE: ['Send the body as application/json.', 'Die Anfrage hat das falsche Format'],
  NOT_FOUND: ['There is no such route.', 'Das gibt es hier nicht'],
  DUPLICATE_INVESTMENT: [
    'This idempotency key has made an investment already.',
    'Dieser Auftrag hat schon eine Anlage erzeugt',
  ],
  IDEMPOTENCY_KEY_REUSED: [
    'This Idempotency-Key was used with another request.',
    'Dieser Auftrag wurde schon mit anderen Angaben gesendet. Beginnen Sie noch einmal',
  ],
  IDEMPOTENCY_IN_PROGRESS: [
    'The first request with this Idempotency-Key is still running.',
    'Der erste Versuch läuft noch. Warten Sie einen Augenblick',
  ],
  INSUFFICIENT_BALANCE: [
    'The available balance is below the amount.',
    'Das verfügbare Guthaben reicht nicht',
  ],
  INVALID_STATE: ['This is not possible in the present state.', 'Das ist im jetzigen Stand nicht möglich'],
  INVALID_STRATEGY: ['There is no such strategy.', 'Diese Strategie ist hier nicht möglich'],
  STRATEGY_NOT_AVAILABLE: [
    'The strategy takes no investments at present.',
    'Die Strategie nimmt zurzeit keine Anlagen an',
  ],
  INVESTMENT_LOCKED: ['The investment is locked.', 'Die Anlage ist bis {lockedUntil} gebunden'],
  INVESTMENT_ALREADY_CLOSED: ['The investment is closed already.', 'Die Anlage ist schon beendet'],
  ACTIVE_INVESTMENTS_EXIST: [
    'The user has active investments.',
    'Der Nutzer hat noch offene Anlagen: {activeInvestments}',
  ],
  WITHDRAWAL_LIMIT_EXCEEDED: [
    'The amount exceeds what is left of a withdrawal limit.',
    'Der Betrag übersteigt eine Grenze für Auszahlungen',
  ],
  ADDRESS_NOT_ALLOWED: [
    'Withdrawals may go only to usable addresses of your address book. Add the address, or wait.',
    'Auszahlungen gehen nur an verwendbare Adressen des Adressbuchs[; diese ist es ab {usableFrom}]',
  ],
  ACCOUNT_LOCKED: [
    'The account is locked: nothing that could lead money out of it is possible until it is unlocked (POST /api/user/unlock, or ask the support).',
    'Das Konto ist gesperrt',
  ],
  SECURITY_HOLD: [
    'After an event that concerns the security of your account this is refused for a while. Try again when the hold has ended.',
    'Nach einem Ereignis, das die Sicherheit des Kontos betrifft, läuft eine Sicherheitsfrist',
  ],
  WITHDRAWALS_PAUSED: ['Withdrawals are paused. Try again later.', 'Auszahlungen sind angehalten'],
  WITHDRAWAL_ERROR: [
    'The withdrawal could not be created. Nothing was reserved.',
    'Die Auszahlung wurde nicht angelegt. Es ist nichts reserviert',
  ],
  DUPLICATE_TX_HASH: [
    'This transaction hash already belongs to another deposit, withdrawal or transaction.',
    'Diesen Hash hat schon ein anderer Vorgang[: Auszahlung {withdrawalId}][: Einzahlung {depositId}][: Buchung {transactionId}]',
  ],
  DUPLICATE_DEPOSIT: ['This transaction hash is recorded already.', 'Diese Transaktion ist schon erfasst'],
  LIMIT_REACHED: [
    'The largest allowed number exists already: see details. Delete one that you no longer need.',
    'Mehr als {limit} sind nicht erlaubt: Löschen Sie zuerst einen Eintrag, den Sie nicht mehr brauchen',
  ],
  RECONCILIATION_EXISTS: [
    'This statement was reconciled already, and nothing has changed since.',
    'Dieser Auszug wurde schon verglichen, und seither hat sich nichts geändert[ (Abgleich {reconciliationId})]',
  ],
  USER_NOT_FOUND: ['There is no such user.', 'Diesen Nutzer gibt es nicht'],
  STRATEGY_NOT_FOUND: ['There is no such strategy.', 'Diese Strategie gibt es nicht'],
  ACCOUNT_NOT_FOUND: ['The books have no such account.', 'Dieses Konto gibt es in den Büchern nicht'],
  INVESTMENT_NOT_FOUND: ['There is no such investment.', 'Diese Anlage gibt es nicht'],
  TRANSACTION_NOT_FOUND: ['There is no such transaction.', 'Diese Buchung gibt es nicht'],
  NOTIFICATION_NOT_FOUND: ['There is no such notification.', 'Diese Mitteilung gibt es nicht mehr'],
  WITHDRAWAL_NOT_FOUND: ['There is no such withdrawal.', 'Diese Auszahlung gibt es nicht'],
  YIELD_REPORT_NOT_FOUND: ['There is no such yield report.', 'Diesen Ertragsbericht gibt es nicht'],
  DEPOSIT_NOT_FOUND: ['There is no such deposit.', 'Diese Einzahlung gibt es nicht'],
  RECONCILIATION_NOT_FOUND: ['There is no such reconciliation.', 'Diesen Abgleich gibt es nicht'],
  ADDRESS_NOT_FOUND: ['The address book has no such entry.', 'Diese Adresse steht nicht im Adressbuch'],
  SESSION_NOT_FOUND: ['There is no such session.', 'Diese Sitzung gibt es nicht mehr'],
  WALLET_NOT_FOUND: ['There is no such wallet.', 'Diese Wallet ist nicht verknüpft'],
  WEBHOOK_NOT_FOUND: ['There is no such webhook.', 'Diesen Webhook gibt es nicht mehr'],
  WEBHOOK_DELIVERY_NOT_FOUND: ['This webhook has no such delivery.', 'Diese Zustellung gibt es nicht mehr'],
  WEBHOOK_EVENT_NOT_FOUND: ['There is no such callback.', 'Diese Rückmeldung gibt es nicht'],
  API_KEY_NOT_FOUND: ['There is no such API key.', 'Diesen Schlüssel gibt es nicht'],
  APPROVAL_NOT_FOUND: ['There is no such approval.', 'Diesen Antrag gibt es nicht mehr'],
  EVENT_NOT_FOUND: [
    'There is no such event that a consumer could not handle.',
    'Kein Verbraucher hat ein solches Ereignis übergangen',
  ],
  ALERT_NOT_FOUND: ['There is no such alert.', 'Diese Warnung gibt es nicht'],
  PROOF_NOT_FOUND: ['There is no such proof.', 'Diesen Nachweis gibt es nicht'],
  RECONCILIATION_BREAK_NOT_FOUND: [
    'There is no such break of a reconciliation.',
    'Diese Abweichung gibt es nicht',
  ],
  ALREADY_READ: ['The notification is read already.', 'Die Mitteilung ist schon gelesen'],
  NO_UNREAD_NOTIFICATIONS: ['There are no unread notifications.', 'Es gibt keine ungelesenen Mitteilungen'],
  BLOCKCHAIN_ERROR: [
    'The blockchain node does not answer. Try again later.',
    'Das Netz antwortet nicht. Versuchen Sie es später noch einmal',
  ],
  DEPOSIT_NETWORK_ERROR: [
    'This network is not supported.',
    'Dieses Netz wird nicht unterstützt, nur {supported}',
  ],
  CRYPTO2B_API_ERROR: [
    'The deposit provider does not answer. Try again later.',
    'Der Anbieter für Einzahlungen antwortet nicht. Versuchen Sie es später noch einmal',
  ],
  WEBHOOK_SIGNATURE_INVALID: [
    'The signature of the call could not be verified.',
    'Die Unterschrift des Aufrufs ließ sich nicht prüfen',
  ],
  INSUFFICIENT_FAUCET_BALANCE: [
    'The faucet cannot pay this amount at present.',
    'Der Testgeldgeber kann diesen Betrag zurzeit nicht zahlen',
  ],
  FAUCET_DISABLED: ['The faucet exists in development only.', 'Testgeld gibt es nur in der Entwicklung'],
  RATE_LIMIT_EXCEEDED: [
    'Too many requests. Wait and try again.',
    'Zu viele Anfragen. Warten Sie, und versuchen Sie es dann noch einmal',
  ],
  PROOF_PENDING: [
    'The transactions are not in the transparency log yet. Try again shortly.',
    'Die Buchungen stehen noch nicht im Transparenzlog. Versuchen Sie es gleich noch einmal',
  ],
  PARTIAL_DATA_AVAILABLE: [
    'Part of the data is not available at present.',
    'Ein Teil der Daten ist zurzeit nicht verfügbar: {unavailable}',
  ],
  SERVICE_UNAVAILABLE: [
    'The service is not able to answer just now. Try again shortly.',
    'Der Dienst kann gerade nicht antworten. Versuchen Sie es gleich noch einmal',
  ],
  INTERNAL_SERVER_ERROR: ['Something went wrong on our side.', 'Im Dienst ist ein Fehler aufgetreten'],
  INTERNAL_ERROR: ['The data could not be read.', 'Die Daten ließen sich nicht lesen'],
};
