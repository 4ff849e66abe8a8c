import type { Phrase } from '../../../../common/message-texts.js';

/** The texts of statements as a page or PDF. */
export const STATEMENT_TEXTS = {
  title: { en: 'Statement of account', de: 'Kontoauszug' },
  account: { en: 'Account', de: 'Konto' },
  period: { en: 'Period', de: 'Zeitraum' },
  periodText: { en: '{from} to {to} (UTC)', de: '{from} bis {to} (UTC)' },
  currency: { en: 'Currency', de: 'Währung' },
  balances: { en: 'Balances', de: 'Salden' },
  time: { en: 'Time', de: 'Zeitpunkt' },
  start: { en: 'start of {day}', de: 'Beginn des {day}' },
  end: { en: 'end of {day}', de: 'Ende des {day}' },
  now: { en: 'at the time of writing', de: 'bei der Erstellung' },
  available: { en: 'Available', de: 'Verfügbar' },
  reserved: { en: 'Reserved', de: 'Reserviert' },
  invested: { en: 'Invested', de: 'Angelegt' },
  accrued: { en: 'Accrued growth', de: 'Aufgelaufener Ertrag' },
  availableChange: { en: 'Change of available', de: 'Änderung verfügbar' },
  reservedChange: { en: 'Change of reserved', de: 'Änderung reserviert' },
  movements: { en: 'Movements', de: 'Bewegungen' },
  noMovements: { en: 'No movements in this period.', de: 'Keine Bewegungen in diesem Zeitraum.' },
  description: { en: 'Description', de: 'Beschreibung' },
  transaction: { en: 'Transaction {hash}', de: 'Transaktion {hash}' },
  paidTo: { en: 'Paid to {address}', de: 'Gezahlt an {address}' },
  growth: { en: 'Growth by strategy', de: 'Ertrag nach Strategie' },
  growthText: {
    en: 'Growth belongs to the UTC day on which it was earned. Balances include it from the following midnight on.',
    de: 'Ertrag gehört zu dem UTC-Tag, an dem er verdient wurde. Salden enthalten ihn ab der folgenden Mitternacht.',
  },
  strategy: { en: 'Strategy', de: 'Strategie' },
  days: { en: 'Days', de: 'Tage' },
  amount: { en: 'Amount', de: 'Betrag' },
} satisfies Record<string, Phrase>;
