import { inLanguage } from '../../ui/language.ts';

export const STATUS = inLanguage({
  pending: ['Pending', 'Offen'],
  approved: ['Approved', 'Freigegeben'],
  processing: ['Processing', 'In Arbeit'],
  completed: ['Completed', 'Ausgezahlt'],
  rejected: ['Rejected', 'Abgelehnt'],
  failed: ['Failed', 'Fehlgeschlagen'],
  cancelled: ['Cancelled', 'Storniert'],
  all: ['All', 'Alle'],
});

export const STEP = inLanguage({
  request: ['requested', 'beantragt'],
  hold: ['held by the limit of the platform', 'wegen der Grenze der Plattform angehalten'],
  unhold: ['no longer held', 'nicht mehr angehalten'],
  approve: ['approved', 'freigegeben'],
  take: ['taken', 'übernommen'],
  execute: ['taken', 'übernommen'],
  complete: ['completed', 'abgeschlossen'],
  reject: ['rejected', 'abgelehnt'],
  cancel: ['cancelled', 'storniert'],
  fail: ['failed', 'fehlgeschlagen'],
  return: ['returned', 'zurückgestellt'],
  release: ['released', 'freigegeben'],
});

export const CHECK = inLanguage({
  matched: ['The chain shows this payment', 'Die Chain zeigt diese Zahlung'],
  mismatch: ['The chain contradicts this payment', 'Die Chain widerspricht dieser Zahlung'],
  unverified: ['Not verified yet', 'Noch nicht geprüft'],
});

export const CHECK_REASON = inLanguage({
  TRANSACTION_UNKNOWN: ['the chain does not know the transaction', 'die Chain kennt die Transaktion nicht'],
  TRANSACTION_REVERTED: ['the transaction was reverted', 'die Transaktion wurde zurückgenommen'],
  NO_SUCH_TRANSFER: [
    'it has no transfer of the amount to the address',
    'sie enthält keine Überweisung des Betrags an die Adresse',
  ],
  OLDER_THAN_REQUEST: ['it is older than the request', 'sie ist älter als der Antrag'],
  SENDER_NOT_CUSTODY: ['its sender is not custody', 'ihr Absender ist nicht die Verwahrstelle'],
  TRANSFER_USED_BEFORE: ['it has paid another withdrawal', 'sie hat eine andere Auszahlung bezahlt'],
});

export const ACTION = inLanguage({
  take: ['Take', 'Übernehmen'],
  approve: ['Approve', 'Freigeben'],
  execute: ['Take', 'Übernehmen'],
  complete: ['Complete', 'Abschließen'],
  reject: ['Reject', 'Ablehnen'],
  fail: ['Not paid', 'Nicht gezahlt'],
  return: ['Put back', 'Zurückstellen'],
  release: ['Release', 'Nicht mehr anhalten'],
  accept: ['Accept screening', 'Prüfung akzeptieren'],
});

/** What an action does, in one sentence. */
export const EFFECT = inLanguage({
  take: [
    'You will pay this withdrawal; the user can no longer cancel it.',
    'Sie zahlen diese Auszahlung; der Nutzer kann sie nicht mehr stornieren.',
  ],
  execute: [
    'You will pay this withdrawal; the user can no longer cancel it.',
    'Sie zahlen diese Auszahlung; der Nutzer kann sie nicht mehr stornieren.',
  ],
  approve: [
    'Another admin can then take and pay it.',
    'Ein anderer Admin kann sie dann übernehmen und zahlen.',
  ],
  complete: [
    'The withdrawal is booked as paid, and the service compares the transaction with the chain. This cannot be undone.',
    'Die Auszahlung wird als gezahlt gebucht, und der Dienst vergleicht die Transaktion mit der Chain. Das lässt sich nicht rückgängig machen.',
  ],
  reject: [
    'The amount is available to the user again, and the user reads the reason. This cannot be undone.',
    'Der Betrag ist für den Nutzer wieder verfügbar, und der Nutzer liest den Grund. Das lässt sich nicht rückgängig machen.',
  ],
  fail: [
    'The withdrawal has failed because it could not be paid; its amount stays reserved until two admins return it. Never use this for one that was paid.',
    'Die Auszahlung ist fehlgeschlagen, weil sie nicht gezahlt werden konnte; ihr Betrag bleibt reserviert, bis zwei Admins ihn zurückgeben. Nie für eine gezahlte verwenden.',
  ],
  return: [
    'The withdrawal is pending again, and a colleague can take it. Never use this for one that was paid.',
    'Die Auszahlung ist wieder offen, und ein Kollege kann sie übernehmen. Nie für eine gezahlte verwenden.',
  ],
  release: [
    'A second admin is asked that this withdrawal need not wait for the limit of the platform.',
    'Ein zweiter Admin wird gefragt, ob diese Auszahlung nicht auf die Grenze der Plattform warten muss.',
  ],
  accept: [
    'A second admin is asked to accept the verdict of the screening for this withdrawal.',
    'Ein zweiter Admin wird gebeten, das Ergebnis der Prüfung für diese Auszahlung zu akzeptieren.',
  ],
});

export const BLOCKED = inLanguage({
  permission: ['You may only read withdrawals.', 'Sie dürfen Auszahlungen nur lesen.'],
  unknown: [
    'It is not known yet whether a second admin decides about it: do not pay, and wait until the approvals are read.',
    'Es ist noch nicht bekannt, ob ein zweiter Admin darüber entscheidet: Zahlen Sie nicht, und warten Sie, bis die Freigaben gelesen sind.',
  ],
  waiting: [
    (by: string) => `It waits for the approval of a second admin, which ${by} has requested.`,
    (by: string) => `Sie wartet auf die Freigabe eines zweiten Admins, die ${by} beantragt hat.`,
  ],
  needsApproval: [
    'From this amount on a second admin has to approve it first.',
    'Ab diesem Betrag muss ein zweiter Admin sie zuerst freigeben.',
  ],
  notMine: [
    'Only the colleague who has taken it, or an admin with all permissions, can put it back.',
    'Zurückstellen kann sie nur der Kollege, der sie übernommen hat, oder ein Admin mit allen Rechten.',
  ],
  held: [
    'It waits because the withdrawals of all users have reached the limit of the platform.',
    'Sie wartet, weil die Auszahlungen aller Nutzer die Grenze der Plattform erreicht haben.',
  ],
  inactive: ['The account of the user is not active.', 'Das Konto des Nutzers ist nicht aktiv.'],
  locked: ['The account of the user is locked.', 'Das Konto des Nutzers ist gesperrt.'],
  screening: [
    'The screening has not cleared the user and the address.',
    'Die Prüfung hat den Nutzer und die Adresse nicht freigegeben.',
  ],
});

const TAKEN = [
  'Taken: pay it now. You find it under “Processing”.',
  'Übernommen: jetzt zahlen. Sie finden sie unter „In Arbeit“.',
] as const;

export const DONE = inLanguage({
  take: TAKEN,
  execute: TAKEN,
  approve: ['Approved', 'Freigegeben'],
  complete: ['Completed', 'Abgeschlossen'],
  reject: ['Rejected', 'Abgelehnt'],
  fail: ['Failed: the amount stays reserved', 'Fehlgeschlagen: der Betrag bleibt reserviert'],
  return: ['Pending again', 'Wieder offen'],
  release: ['Released', 'Nicht mehr angehalten'],
  accept: ['Screening accepted', 'Prüfung akzeptiert'],
});

export const OUTCOME = inLanguage({
  waiting: [
    'Waits for the approval of a second admin. Nothing has changed yet.',
    'Wartet auf die Freigabe eines zweiten Admins. Es hat sich noch nichts geändert.',
  ],
  lostTitle: ['A colleague was faster', 'Ein Kollege war schneller'],
  changedTitle: ['It was changed before', 'Sie wurde vorher geändert'],
  lost: [
    (by: string, step: string) => `${by} has ${step} it. Nothing of yours was done.`,
    (by: string, step: string) => `${by} hat sie ${step}. Ihre Aktion wurde nicht ausgeführt.`,
  ],
});
