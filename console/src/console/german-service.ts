import { phraseBook, type Phrases } from '../ui/phrases.ts';
import { INVARIANTS } from './german-invariants.ts';
import { VIOLATIONS } from './german-violations.ts';

/** Messages of the components on the status screen. `{…}` stands for a value. */
const HEALTH: Phrases = [
  ['answers', 'antwortet'],
  ['answers, but lacks {methods}', 'antwortet, aber ohne {methods}'],
  ['does not answer', 'antwortet nicht'],
  ['timeout of {milliseconds}ms exceeded', 'keine Antwort in {milliseconds} ms'],
  ['The blockchain node does not answer. Try again later.', 'der Knoten der Chain antwortet nicht'],
  [
    'the node is on chain {found} and not on chain {expected}',
    'der Knoten ist auf Chain {found} und nicht auf Chain {expected}',
  ],
  ['the node is synchronising', 'der Knoten gleicht sich noch ab'],
  ['has not called yet', 'hat sich noch nicht gemeldet'],
  [
    '{failed} of its calls failed in the last 24 hours',
    'in den letzten 24 Stunden fehlgeschlagene Meldungen: {failed}',
  ],
  ['not checked yet', 'noch nicht geprüft'],
  ['the last check is more than 36 hours old', 'die letzte Prüfung ist über 36 Stunden her'],
  ['a withdrawal waits for more than 24 hours', 'eine Auszahlung wartet seit über 24 Stunden'],
  ['An invariant of the ledger is violated.', 'Eine Invariante des Hauptbuchs ist verletzt.'],
  ['the clock differs from that of the database', 'die Uhr weicht von der Uhr der Datenbank ab'],
  ['the event loop is late', 'die Ereignisschleife ist im Verzug'],
  ['the heap is nearly full', 'der Speicher ist fast voll'],
  ['these jobs are overdue: {jobs}', 'diese Jobs sind überfällig: {jobs}'],
  ['ADMINS_FILE has a fault, see the log', 'ADMINS_FILE hat einen Fehler, siehe Log'],
];

/** Messages about missed targets of the service levels, and the parts of the sentence about an incident. */
const SERVICE_LEVELS: Phrases = [
  [
    'Availability is {percent} percent; the target is at least {target} percent.',
    'Die Verfügbarkeit ist {percent} Prozent, das Ziel mindestens {target} Prozent.',
  ],
  [
    'The error rate is {percent} percent; the target is at most {target} percent.',
    'Von den Anfragen sind {percent} Prozent fehlgeschlagen, das Ziel sind höchstens {target} Prozent.',
  ],
  [
    'The {name} of response times is {found} ms; the target is at most {target} ms.',
    'Das {name} der Antwortzeiten ist {found} ms, das Ziel höchstens {target} ms.',
  ],
  ['the service was down for {time}', 'der Dienst war {time} nicht erreichbar'],
  ['{failures} of {requests} requests failed', '{failures} von {requests} Anfragen sind fehlgeschlagen'],
  ['requests took longer than {limit} ms', 'Anfragen dauerten länger als {limit} ms'],
];

/** Why callbacks of providers have changed nothing. */
const CALLBACKS: Phrases = [
  [
    'the deposit address belongs to no user of this platform',
    'die Adresse gehört keinem Nutzer dieser Plattform',
  ],
  ['the id is recorded with another transfer', 'die Id gehört schon zu einer anderen Überweisung'],
  [
    'the transfer is recorded under another id',
    'die Überweisung ist schon unter einer anderen Id verzeichnet',
  ],
  ['the chain shows no such transfer', 'die Chain zeigt diese Überweisung nicht'],
  [
    'the transaction hash is not a valid ERC20 transaction hash',
    'der Hash ist kein gültiger Hash einer ERC20-Transaktion',
  ],
  [
    'an admin has resolved the alert about this transfer',
    'ein Admin hat die Warnung zu dieser Überweisung erledigt',
  ],
  ['the status {status} is not known', 'der Stand {status} ist nicht bekannt'],
  ['the status {status} changes nothing', 'der Stand {status} ändert nichts'],
  ['the network {network} is not known', 'das Netzwerk {network} ist nicht bekannt'],
  ['{currency} cannot be deposited over {network}', '{currency} kann nicht über {network} eingezahlt werden'],
  ['there is no transaction yet', 'es gibt noch keine Transaktion'],
  ['the amount is zero', 'der Betrag ist null'],
  ['the address is not a valid {network} address', 'die Adresse ist keine gültige Adresse in {network}'],
  ['the body is not a deposit', 'der Inhalt ist keine Einzahlung'],
  ['the body is not a withdrawal', 'der Inhalt ist keine Auszahlung'],
  ['the body is not a yield report', 'der Inhalt ist kein Ertragsbericht'],
  ['the id of the withdrawal is not a UUID', 'die Id der Auszahlung ist keine UUID'],
  ['the withdrawal is {state}', 'die Auszahlung ist {state}'],
  ['the type is not known', 'die Art ist nicht bekannt'],
  [
    'the service has not stored this callback as it is',
    'so hat der Dienst diese Rückmeldung nicht gespeichert',
  ],
  ['the last attempt was interrupted', 'der letzte Versuch wurde unterbrochen'],
];

/** Reasons that the service gives for a pause of withdrawals and for records that a provider has rejected. */
const REASONS: Phrases = [
  ['Broken: {invariants}.', 'Verletzt: {invariants}.'],
  ['The provider gave no reason.', 'Der Anbieter hat keinen Grund genannt.'],
  [
    'The deposit provider refused the deposit: {error}',
    'Der Einzahlungsanbieter hat die Einzahlung abgelehnt: {error}',
  ],
];

/** The labels of approvals whose record has neither an amount nor an address as its label. */
const LABELS: Phrases = [
  ['the transparency log', 'das Transparenzlog'],
  ['the pause of withdrawals: {reason}', 'das Anhalten der Auszahlungen: {reason}'],
  ['{strategy} on {day}: {percent} % a year', '{strategy} am {day}: {percent} % im Jahr'],
];

/** The descriptions of transfers that the treasury has planned. Admins write the descriptions of other transfers themselves. */
export const TRANSFERS: Phrases = [
  ['Into custody: surplus at the deposit provider', 'In die Verwahrung: Überschuss beim Einzahlungsanbieter'],
  [
    'From custody: shortage at the deposit provider',
    'Aus der Verwahrung: Fehlbetrag beim Einzahlungsanbieter',
  ],
  ['Into custody: invested in {strategy}', 'In die Verwahrung: investiert in {strategy}'],
  ['From custody: paid back by {strategy}', 'Aus der Verwahrung: zurückgezahlt von {strategy}'],
];

/** The texts for admins that the service has in English only. */
export const SERVICE_TEXTS: Phrases = [
  ...Object.values(INVARIANTS).map(({ sentence }) => sentence),
  ...HEALTH,
  ...SERVICE_LEVELS,
  ...CALLBACKS,
  ...REASONS,
  ...LABELS,
];

export const serviceText = phraseBook(SERVICE_TEXTS);
export const transferText = phraseBook(TRANSFERS);
export const violationText = phraseBook(VIOLATIONS);
export const invariantName = (name: string): string | undefined => INVARIANTS[name]?.name;
