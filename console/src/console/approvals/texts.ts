import { inLanguage } from '../../ui/language.ts';

export const KIND = inLanguage({
  'admin.factor-reset': ['Reset the second factors of an admin', 'Zweite Faktoren eines Admins entfernen'],
  'admin.password-set': ['Set the first password of an admin', 'Erstes Passwort eines Admins setzen'],
  'integrity.resume': ['Resume withdrawals', 'Auszahlungen fortsetzen'],
  'log.continue': ['Continue the transparency log', 'Transparenzlog fortsetzen'],
  'screening.accept': ['Accept a screening', 'Prüfung akzeptieren'],
  'user.email-change': ['Change the e-mail address of a user', 'E-Mail-Adresse eines Nutzers ändern'],
  'user.factor-reset': ['Remove the second factors of a user', 'Zweite Faktoren eines Nutzers entfernen'],
  'user.hold-end': ['End a security hold', 'Sicherheitssperre beenden'],
  'user.tier-change': ['Change the limits of a user', 'Grenzen eines Nutzers ändern'],
  'user.unlock': ['Unlock an account', 'Konto entsperren'],
  'withdrawal.complete-mismatch': [
    'Complete a withdrawal that the chain contradicts',
    'Auszahlung abschließen, der die Chain widerspricht',
  ],
  'withdrawal.reject-paid': [
    'Reject a withdrawal that may be paid',
    'Auszahlung ablehnen, die vielleicht gezahlt ist',
  ],
  'withdrawal.release': ['Release a held withdrawal', 'Angehaltene Auszahlung freigeben'],
  'yield-report.accept': ['Accept a yield report', 'Ertragsbericht akzeptieren'],
  break: ['Resolve a break', 'Abweichung auflösen'],
  transaction: ['Transaction by hand', 'Buchung von Hand'],
  withdrawal: ['Approve a withdrawal', 'Auszahlung freigeben'],
});

/**
 * Approvals that are records themselves, such as a withdrawal that waits. Their requests cannot be withdrawn, and a rejection changes
 * the record. The other two texts of a withdrawal's rejection are in `withdrawals/texts.ts`.
 */
export const RECORD_REJECT = inLanguage({
  withdrawal: ['Reject the withdrawal', 'Auszahlung ablehnen'],
  transaction: ['Reject the transaction', 'Buchung ablehnen'],
  break: ['Reopen the break', 'Abweichung wieder öffnen'],
});

export const RECORD_REJECT_EFFECT = inLanguage({
  transaction: [
    'The transaction is finally rejected and never posted; a pending transfer request of it is rejected, too.',
    'Die Buchung wird endgültig abgelehnt und nie ausgeführt; ein offener Überweisungsantrag dazu wird auch abgelehnt.',
  ],
  break: [
    'The break is open again, without an owner and without the proposed resolution.',
    'Die Abweichung ist wieder offen, ohne Zuständigen und ohne die vorgeschlagene Auflösung.',
  ],
});

export const RECORD_REJECTED = inLanguage({
  transaction: ['The transaction is rejected', 'Die Buchung ist abgelehnt'],
  break: ['The break is open again', 'Die Abweichung ist wieder offen'],
});

export const STATE = inLanguage({
  pending: ['Waiting', 'Wartet'],
  approved: ['Approved', 'Freigegeben'],
  rejected: ['Rejected', 'Abgelehnt'],
  withdrawn: ['Withdrawn', 'Zurückgezogen'],
  expired: ['Expired', 'Abgelaufen'],
  failed: ['Refused', 'Abgewiesen'],
});
