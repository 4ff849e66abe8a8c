import type { Phrases } from '../ui/phrases.ts';

interface InvariantTexts {
  readonly name: string;
  /** The sentence of the service, and its German. */
  readonly sentence: Phrases[number];
}

/** The invariants of the ledger, by their names. */
export const INVARIANTS: Readonly<Record<string, InvariantTexts>> = {
  'trial-balance': {
    name: 'Saldenliste',
    sentence: [
      'All entries of an asset add up to zero.',
      'Alle Buchungszeilen einer Währung ergeben zusammen null.',
    ],
  },
  transactions: {
    name: 'Buchungen',
    sentence: [
      'The entries of each transaction add up to zero in each asset.',
      'Die Zeilen jeder Buchung ergeben in jeder Währung zusammen null.',
    ],
  },
  accounts: {
    name: 'Konten',
    sentence: [
      'Each entry belongs to an account of its asset.',
      'Jede Buchungszeile gehört zu einem Konto ihrer Währung.',
    ],
  },
  balances: {
    name: 'Kontostände',
    sentence: [
      'The balance of each user account is the sum of its entries.',
      'Der Saldo jedes Nutzerkontos ist die Summe seiner Buchungszeilen.',
    ],
  },
  'balance-chain': {
    name: 'Folge der Kontostände',
    sentence: [
      'The balance after each entry of a user account is the balance before it plus its amount.',
      'Der Saldo eines Nutzerkontos nach jeder Buchungszeile ist der Saldo davor plus ihr Betrag.',
    ],
  },
  backing: {
    name: 'Deckung im Hauptbuch',
    sentence: [
      "The balances of users in an asset equal the debit balance of the platform's own accounts in it.",
      'Die Kontostände der Nutzer in einer Währung gleichen dem Sollsaldo der Plattformkonten in ihr.',
    ],
  },
  assets: {
    name: 'Vermögen bei Anbietern',
    sentence: [
      'No provider has paid out more than it received. A violation means that a transfer from the other provider is not entered yet.',
      'Kein Anbieter hat mehr ausgezahlt, als er bekommen hat. Eine Verletzung heißt, dass eine Überweisung vom anderen Anbieter noch nicht gebucht ist.',
    ],
  },
  reserved: {
    name: 'Reserviertes',
    sentence: [
      'The reserved balance of each user is the sum of their open withdrawals and of failed ones that were not reversed.',
      'Was für jeden Nutzer reserviert ist, ist die Summe seiner offenen Auszahlungen und der fehlgeschlagenen, die nicht zurückgegeben wurden.',
    ],
  },
  invested: {
    name: 'Investiertes',
    sentence: [
      'The invested balance of each user is the principal of their open investments.',
      'Was jeder Nutzer investiert hat, ist der Anlagebetrag seiner offenen Investitionen.',
    ],
  },
  units: {
    name: 'Anteile der Nutzer',
    sentence: [
      'The units that a user holds of a strategy are the units of their active investments in it.',
      'Die Anteile eines Nutzers an einer Strategie sind die Anteile seiner aktiven Investitionen in sie.',
    ],
  },
  'issued-units': {
    name: 'Ausgegebene Anteile',
    sentence: [
      'The units that a strategy has issued equal the units that users hold.',
      'Die Anteile, die eine Strategie ausgegeben hat, gleichen denen, die Nutzer haben.',
    ],
  },
  'accrued-growth': {
    name: 'Geschuldeter Ertrag',
    sentence: [
      'The accrued growth of a strategy is the growth of the units of its investments, less the growth paid to ended ones.',
      'Der geschuldete Ertrag einer Strategie ist der Ertrag der Anteile ihrer Investitionen, abzüglich des Ertrags, der für beendete gezahlt wurde.',
    ],
  },
  'days-begun': {
    name: 'Begonnene Tage',
    sentence: [
      'By the clock of the database, no strategy has a NAV for a day after tomorrow or posted growth for a future day.',
      'Nach der Uhr der Datenbank hat keine Strategie einen Anteilswert für einen Tag nach morgen oder gebuchten Ertrag für einen künftigen Tag.',
    ],
  },
  conversion: {
    name: 'Umtausch',
    sentence: [
      'The conversion accounts equal the amounts of completed USDT deposits in USDT and their credited amounts in USDC, less what was taken back.',
      'Die Umtauschkonten gleichen den Beträgen der abgeschlossenen USDT-Einzahlungen in USDT und ihren Gutschriften in USDC, abzüglich dessen, was zurückgebucht wurde.',
    ],
  },
  'transaction-history': {
    name: 'Änderungen des Guthabens',
    sentence: [
      "The balance changes of a user's transactions add up to the available balance.",
      'Die Änderungen, die der Verlauf eines Nutzers zeigt, ergeben zusammen das verfügbare Guthaben.',
    ],
  },
  history: {
    name: 'Verlauf der Nutzer',
    sentence: [
      "Each entry of a user's history equals its deposit, withdrawal, investment, closing or booking by hand, and each of these has its entries.",
      'Jeder Eintrag im Verlauf eines Nutzers gleicht seiner Einzahlung, Auszahlung, Investition, Schließung oder Buchung von Hand, und jede von ihnen hat ihre Einträge.',
    ],
  },
  postings: {
    name: 'Buchungen des Verlaufs',
    sentence: [
      "Each credited deposit, each withdrawal with its release or payment, each investment and closing of the users' histories has its posting with its amount, and no other posting of these kinds exists.",
      'Jede gutgeschriebene Einzahlung, jede Auszahlung mit ihrer Rückgabe oder Zahlung, jede Investition und Schließung im Verlauf der Nutzer hat ihre Buchung mit ihrem Betrag, und keine andere Buchung dieser Arten ist da.',
    ],
  },
  suspense: {
    name: 'Zwischenkonto',
    sentence: [
      'Suspense holds the amount of each deposit that is held below the minimum, and nothing for any other deposit.',
      'Das Zwischenkonto hat den Betrag jeder Einzahlung, die unter dem Mindestbetrag angehalten ist, und nichts für andere Einzahlungen.',
    ],
  },
  'withdrawal-steps': {
    name: 'Schritte der Auszahlungen',
    sentence: [
      'The status of each withdrawal is that of its last step; the times of its wait because of the limit of the platform are those of its steps, and who approved and who took it, and when, are those of the last steps since its last return.',
      'Der Status jeder Auszahlung ist der ihres letzten Schritts; die Zeiten, in denen sie wegen der Grenze der Plattform wartete, sind die ihrer Schritte, und wer sie wann freigegeben und übernommen hat, sagen die letzten Schritte, seit sie zuletzt zurückgestellt wurde.',
    ],
  },
  'published-liabilities': {
    name: 'Veröffentlichte Schulden',
    sentence: [
      "The published liabilities of the last closed day are at least what the ledger owed at its end: users' balances, the growth of investments and held deposits.",
      'Die veröffentlichten Schulden des letzten abgeschlossenen Tags sind mindestens, was das Hauptbuch an seinem Ende schuldete: Guthaben der Nutzer, Ertrag der Investitionen und angehaltene Einzahlungen.',
    ],
  },
  closings: {
    name: 'Teilweise Schließungen',
    sentence: [
      'The closed principal, growth and fees of each investment are the sums of its partial closings, and their number is that of the closings; a moved investment and the one in which it continues name each other and have one user, and the growth of earlier ones that was closed in the latter is its closed principal less the closed part of the first principal.',
      'Geschlossener Anlagebetrag, Ertrag und Gebühren jeder Investition sind die Summen ihrer teilweisen Schließungen, deren Zahl stimmt; eine umgeschichtete Investition und die, in der sie weitergeht, nennen einander und haben denselben Nutzer, und der in der späteren geschlossene Ertrag der früheren ist ihr geschlossener Anlagebetrag ohne den geschlossenen Teil des ersten Anlagebetrags.',
    ],
  },
  decisions: {
    name: 'Entscheidungen',
    sentence: [
      'The audit log has an entry for each decision of an admin that a record shows.',
      'Das Audit-Log hat einen Eintrag für jede Entscheidung eines Admins, die ein Vorgang zeigt.',
    ],
  },
  users: {
    name: 'Nutzer',
    sentence: [
      'The status of each user is that of the last change of its status. The e-mail address, the hold, the lock and the tier are those of the last record of their changes, and the address and the tier are the last ones that the audit log has for the user.',
      'Der Status jedes Nutzers ist der seiner letzten Änderung. E-Mail-Adresse, Sicherheitssperre, Kontosperre und Stufe sind die der letzten Aufzeichnung ihrer Änderungen, und Adresse und Stufe sind die letzten, die das Audit-Log für den Nutzer hat.',
    ],
  },
  values: {
    name: 'Anteilswerte',
    sentence: [
      'Each published value of a unit follows from the value of the day before, the rate and the correction; a reported rate is that of a report, the correction is that of the reports of earlier days, no report of a published day is left out, and the last rate of a strategy is its target.',
      'Jeder veröffentlichte Anteilswert folgt aus dem Wert des Vortags, dem Satz und der Berichtigung; ein gemeldeter Satz ist der eines Berichts, die Berichtigung ist die der Berichte früherer Tage, kein Bericht eines veröffentlichten Tags fehlt, und der letzte Satz einer Strategie ist ihr Ziel.',
    ],
  },
  'sealed-history': {
    name: 'Transparenzlog',
    sentence: [
      'Each leaf of the transparency log equals the rows of the ledger and the liabilities of days, and its tree has the root of the newest signed checkpoint.',
      'Jedes Blatt des Transparenzlogs gleicht den Zeilen des Hauptbuchs und den Schulden der Tage, und sein Baum hat die Wurzel des neuesten unterschriebenen Prüfpunkts.',
    ],
  },
  'yield-reports': {
    name: 'Ertragsberichte',
    sentence: [
      'Each yield report that sets or corrects a rate has the seal that the service has given to it.',
      'Jeder Ertragsbericht, der einen Satz setzt oder berichtigt, hat das Siegel, das ihm der Dienst gegeben hat.',
    ],
  },
};
