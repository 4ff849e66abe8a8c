import { phraseBook, type Phrases } from '../ui/phrases.ts';

/**
 * German for English texts of records that admins see; some of them address the user. `{…}` stands for a value. The first phrase that
 * fits counts, so that a longer one stands before its beginning.
 */
export const PHRASES: Phrases = [
  ['Deposit of {amount} over {network}', 'Einzahlung von {amount} über {network}'],
  ['Deposit of {amount}, booked by hand', 'Von Hand gebuchte Einzahlung von {amount}'],
  ['Deposit of {amount}', 'Einzahlung von {amount}'],
  [
    'Held deposit of {amount} {asset} reversed: the transfer did not happen',
    'Angehaltene Einzahlung von {amount} {asset} zurückgebucht: Die Überweisung gab es nicht',
  ],
  ['{amount} of a deposit taken back, booked by hand', 'Von Hand zurückgebucht: {amount} einer Einzahlung'],
  ['Paid out by the custody provider, booked by hand', 'Von der Verwahrstelle gezahlt, von Hand gebucht'],
  ['Moved between the deposit provider and custody', 'Zwischen Einzahlungsanbieter und Verwahrung bewegt'],
  ['Units of {strategy} issued', 'Anteile von {strategy} ausgegeben'],
  [
    'Yield of {strategy} received by the custody provider',
    'Ertrag aus {strategy} bei der Verwahrstelle eingegangen',
  ],
  ['Withdrawal of {amount}', 'Auszahlung von {amount}'],
  ['{amount} to {address}', '{amount} an {address}'],
  ['Return of the failed withdrawal of {amount}', 'Rückgabe der fehlgeschlagenen Auszahlung von {amount}'],
  ['Investment in {strategy}', 'Investition in {strategy}'],
  ['Growth of {strategy} on {day}', 'Ertrag aus {strategy} am {day}'],
  ['Growth of {strategy} settled on cancelling', 'Bei der Stornierung abgerechneter Ertrag aus {strategy}'],
  ['Growth of {strategy} forfeited', 'Verfallener Ertrag aus {strategy}'],
  ['Growth of {strategy}', 'Ertrag aus {strategy}'],
  ['Loss of {strategy}', 'Verlust aus {strategy}'],
  ['Principal back from {strategy}', 'Anlagebetrag zurück aus {strategy}'],
  ['Principal returned from {strategy}', 'Anlagebetrag zurück aus {strategy}'],
  ['Loss or growth taken back of {strategy}', 'Verlust oder zurückgenommener Ertrag aus {strategy}'],
  ['Fees of {strategy}', 'Gebühren für {strategy}'],
  ['Reserved for a withdrawal', 'Für eine Auszahlung reserviert'],
  ['Released from a withdrawal', 'Reservierung einer Auszahlung aufgehoben'],
  ['The transaction was reverted on chain.', 'Die Transaktion wurde auf der Chain zurückgenommen.'],
  ['The deposit provider refused the deposit.', 'Der Einzahlungsanbieter hat die Einzahlung abgelehnt.'],
  [
    'The transaction contains no transfer to your deposit address.',
    'Die Transaktion enthält keine Überweisung an die Einzahlungsadresse.',
  ],
  [
    'The deposit is below the minimum of {minimum}.',
    'Die Einzahlung liegt unter dem Mindestbetrag von {minimum}.',
  ],
  ['The chain does not show the transfer yet.', 'Die Chain zeigt die Überweisung noch nicht.'],
  ['The transaction waits for its first confirmation.', 'Die Transaktion wartet auf ihre erste Bestätigung.'],
  [
    'The transaction has {confirmations} of {required} confirmations.',
    'Die Transaktion hat {confirmations} von {required} Bestätigungen.',
  ],
  [
    'Send more to the same deposit address: when the deposits to it reach {minimum} in total, all of them are credited.',
    'Senden Sie mehr an dieselbe Adresse: Wenn die Einzahlungen an sie zusammen {minimum} erreichen, werden alle gutgeschrieben.',
  ],
  [
    'Nothing to do: the deposit is credited after {required} confirmations.',
    'Nichts zu tun: Die Einzahlung wird nach {required} Bestätigungen gutgeschrieben.',
  ],
  [
    'Nothing was credited. If money left your wallet, write to support with the transaction hash.',
    'Es wurde nichts gutgeschrieben. Hat Ihre Wallet das Geld gesendet, schreiben Sie dem Support mit dem Hash der Transaktion.',
  ],
];

/** The text with its amounts and days as the page writes them; undefined if it is none of these. */
export const englishPhrase = phraseBook(PHRASES.map(([english]) => [english, english] as const));

/** The text in German; undefined if it is none of these, such as one of an admin. */
export const germanPhrase = phraseBook(PHRASES);
