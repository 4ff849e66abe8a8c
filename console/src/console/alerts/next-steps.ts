import { phraseBook, type Phrases } from '../../ui/phrases.ts';

// The next steps of alerts about money, which depend on the case: the English text of the service with its German text.

const LATE_PAYMENT_BY_HAND =
  'by POST /api/admin/transactions with the type withdrawal and the withdrawalId {id}.';
const GERMAN_BY_HAND =
  'durch eine Buchung von Hand („Eine Auszahlung eines Nutzers“ mit der Id {id}) aus dem Guthaben';

const SENDERS: Phrases = [
  ['Since custody sent it, ', 'Die Verwahrstelle hat sie gesendet. '],
  [
    'Check who sent it. If custody did, ',
    'Prüfen Sie, wer sie gesendet hat. Nur wenn es die Verwahrstelle war, gilt: ',
  ],
];

const LATE_PAYMENTS: Phrases = [
  [
    `complete the withdrawal with this hash, and reject a pending reversal. If the withdrawal was completed with another hash, take the amount from the user's balance ${LATE_PAYMENT_BY_HAND}`,
    `Schließen Sie die Auszahlung mit diesem Hash ab, und lehnen Sie eine offene Rückbuchung ab. Wurde die Auszahlung mit einem anderen Hash abgeschlossen, nehmen Sie den Betrag ${GERMAN_BY_HAND}.`,
  ],
  [
    `the user has the amount twice: take it from the balance ${LATE_PAYMENT_BY_HAND}`,
    `Der Nutzer hat den Betrag zweimal: Nehmen Sie ihn ${GERMAN_BY_HAND}.`,
  ],
  [
    `the user has what was paid twice: take it from the balance ${LATE_PAYMENT_BY_HAND}`,
    `Der Nutzer hat das Gezahlte zweimal: Nehmen Sie es ${GERMAN_BY_HAND}.`,
  ],
];

const CONTRADICTED: readonly [english: string, german: string] = [
  "Do not pay the user's withdrawals: reject them or leave them pending. Look the transaction up on chain and at the deposit provider. If the transfer has not happened, ",
  'Zahlen Sie keine Auszahlung dieses Nutzers: Lehnen Sie sie ab, oder lassen Sie sie offen. Suchen Sie die Transaktion auf der Chain und beim Einzahlungsanbieter. Gab es die Überweisung nicht, ',
];

const UNCONFIRMED: readonly [english: string, german: string] = [
  'Look the transaction {hash} up with an explorer of the chain. If it has {required} confirmations, ask the deposit provider to send the callback with them: the deposit is then credited, and this alert resolves itself.',
  'Sehen Sie die Transaktion {hash} in einem Explorer der Chain nach. Hat sie {required} Bestätigungen, bitten Sie den Einzahlungsanbieter um die Rückmeldung mit ihnen: Dann wird die Einzahlung gutgeschrieben, und die Warnung erledigt sich.',
];

const NEXT_STEPS: Phrases = [
  ...SENDERS.flatMap(([english, german]) =>
    LATE_PAYMENTS.map(([step, germanStep]) => [english + step, german + germanStep] as const),
  ),
  [
    `${CONTRADICTED[0]}take the credited amount back by POST /api/admin/transactions with the type reversal and the depositId {id}.`,
    `${CONTRADICTED[1]}buchen Sie die Gutschrift von Hand zurück („Die Rücknahme einer Einzahlung“ mit der Id {id}).`,
  ],
  [
    `${CONTRADICTED[0]}no transaction takes this credit back exactly; a withdrawal by hand takes USDC from the balances of the user and of custody.`,
    `${CONTRADICTED[1]}nimmt keine Buchung diese Gutschrift genau zurück; eine Auszahlung von Hand nimmt USDC aus dem Guthaben des Nutzers und dem der Verwahrstelle.`,
  ],
  [
    'Look the transaction up on chain and at the deposit provider. If the transfer has happened, book it by POST /api/admin/transactions with the type deposit, which is in USDC over ERC20.',
    'Suchen Sie die Transaktion auf der Chain und beim Einzahlungsanbieter. Gab es die Überweisung, buchen Sie sie von Hand („Eine Einzahlung eines Nutzers“); das geht nur in USDC über ERC20.',
  ],
  UNCONFIRMED,
  [
    `${UNCONFIRMED[0]} If the provider sends none, book the amount by POST /api/admin/transactions with the type deposit and the hash, which is in USDC over ERC20: a later callback is then not credited a second time.`,
    `${UNCONFIRMED[1]} Sendet der Anbieter keine, buchen Sie den Betrag von Hand („Eine Einzahlung eines Nutzers“) mit dem Hash; das geht nur in USDC über ERC20. Eine spätere Rückmeldung wird dann kein zweites Mal gutgeschrieben.`,
  ],
  [
    'Ask the deposit provider why it reports the transfer twice. If the address was also paid in another way, book that amount by POST /api/admin/transactions with the type deposit and without a hash, which is in USDC over ERC20; otherwise resolve this alert.',
    'Fragen Sie den Einzahlungsanbieter, warum er die Überweisung zweimal meldet. Wurde die Adresse noch auf anderem Weg bezahlt, buchen Sie diesen Betrag von Hand („Eine Einzahlung eines Nutzers“) und ohne Hash; das geht nur in USDC über ERC20. Sonst erledigen Sie die Warnung.',
  ],
];

const germanSteps = phraseBook(NEXT_STEPS);

/** German for a next step that depends on the case; undefined for a text that is not in the list. */
export const germanStep = (nextStep: string): string | undefined => germanSteps(nextStep, (value) => value);

/** Next steps name requests to the API. An admin at the console reads the screen that does the same instead. */
export const REQUESTS: Phrases = [
  ['by POST /api/admin/transactions', 'by “Book by hand” under “Transactions”'],
  ['Read GET /api/admin/integrity', 'Read “Integrity”'],
  ['by POST /api/admin/integrity/pause', 'under “Integrity”'],
  ['(GET /api/admin/audit?subject=', '(“Audit log”, record '],
  ['by POST /api/admin/withdrawals/:id/release', 'under “Withdrawals”'],
  ['by PUT /api/admin/users/:id/tier', 'by “Change limits” on their records'],
  ['send POST /api/admin/events/{event_id}/repeat for each event', 'hand each event again under “Events”'],
  ['send it to POST /api/admin/proofs/continue', 'continue the log with it under “Transparency log”'],
];

/** The next step for somebody at the console. */
export const englishStep = (nextStep: string): string =>
  REQUESTS.reduce((text, [request, screen]) => text.replaceAll(request, screen), nextStep);
