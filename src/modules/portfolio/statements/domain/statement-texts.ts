import { phraseText, type Language, type Phrase } from '../../../../common/message-texts.js';
import type { Money } from '../../../../common/money.js';
import type { PostingType } from '../../../core/ledger/domain/chart-of-accounts.js';
import { INVESTMENT_PHRASES } from '../../../investing/investments/domain/investment.js';
import { shownDescription } from '../../transactions/domain/transaction-kinds.js';

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

/** The posting types that a statement shows under another name. */
const NAMES = {
  'withdrawal-completed': 'withdrawal-paid',
  'withdrawal-released': 'withdrawal-returned',
} as const satisfies Partial<Record<PostingType, string>>;

type Names = typeof NAMES;

/** The type of a movement in a statement. */
export type MovementType = Exclude<PostingType, keyof Names> | Names[keyof Names];

export function toMovementType(type: PostingType): MovementType {
  return type === 'withdrawal-completed' || type === 'withdrawal-released' ? NAMES[type] : type;
}

/** What the text of a movement is made of. */
export interface MovementFacts {
  readonly type: PostingType;
  readonly available: Money;
  readonly referenceType: string;
  readonly referenceId: string;
  /** The text of the posting, in English. */
  readonly description: string;
  /** The strategy of the investment that the posting belongs to; null for other postings. */
  readonly strategyId: string | null;
  /** The kind of the account on the other side, for the types fee and earning, of which one posting can be two movements; null for others. */
  readonly counterAccount: string | null;
}

const TEXTS = {
  ...INVESTMENT_PHRASES,
  principal: { en: 'Principal returned from {strategy}', de: 'Anlagebetrag zurück aus {strategy}' },
  takenBack: {
    en: 'Growth taken back on cancelling: {strategy}',
    de: 'Bei der Stornierung zurückgenommener Ertrag: {strategy}',
  },
  managementFee: { en: 'Management fee of {strategy}', de: 'Verwaltungsgebühr für {strategy}' },
  performanceFee: { en: 'Performance fee of {strategy}', de: 'Erfolgsgebühr für {strategy}' },
  deposit: { en: 'Deposit of {amount}', de: 'Einzahlung von {amount}' },
  depositBooked: {
    en: 'Deposit of {amount}, booked by hand',
    de: 'Einzahlung von {amount}, von Hand gebucht',
  },
  depositTakenBack: {
    en: '{amount} of a deposit taken back, booked by hand',
    de: '{amount} einer Einzahlung zurückgenommen, von Hand gebucht',
  },
  reserved: { en: 'Reserved for a withdrawal', de: 'Für eine Auszahlung reserviert' },
  released: { en: 'Released from a withdrawal', de: 'Reservierung einer Auszahlung aufgehoben' },
  paid: { en: 'Paid out by the custody provider', de: 'Vom Verwahrer ausgezahlt' },
  paidBooked: {
    en: 'Paid out by the custody provider, booked by hand',
    de: 'Vom Verwahrer ausgezahlt, von Hand gebucht',
  },
} satisfies Record<string, Phrase>;

const PART: Phrase = { en: '{text} (part {part})', de: '{text} (Teil {part})' };

/** The texts of the lines with the balances before and after the range. */
export const OPENING_BALANCES: Phrase = { en: 'Opening balances', de: 'Anfangssalden' };
export const CLOSING_BALANCES: Phrase = { en: 'Closing balances', de: 'Endsalden' };

/**
 * The text of a movement. The posting's own text is not used for investments: it names the strategy by its id, and is the same for
 * all entries of the posting.
 */
export function describeMovement(
  movement: MovementFacts,
  language: Language,
  nameOf: (strategyId: string) => string,
): string {
  const { strategyId, referenceId, description } = movement;
  if (strategyId === null) {
    const kind = paymentKind(movement);
    return kind === undefined
      ? shownDescription(movement, language)
      : phraseText(TEXTS[kind], language, { amount: amountIn(description) });
  }
  const text = phraseText(TEXTS[investmentKind(movement)], language, { strategy: nameOf(strategyId) });
  const [, part] = referenceId.split(':'); // of a partial closing: `<id of the investment>:<number of the part>`
  return part === undefined ? text : phraseText(PART, language, { text, part });
}

function investmentKind({ type, available, counterAccount }: MovementFacts): keyof typeof TEXTS {
  switch (type) {
    case 'divestment':
      return 'principal';
    case 'fee':
      return counterAccount === 'income.performance-fee' ? 'performanceFee' : 'managementFee';
    case 'earning':
      if (counterAccount === 'expense.yield') return 'takenBack';
      return available.isNegative() ? 'loss' : 'growth';
    default:
      return 'investment';
  }
}

function paymentKind({
  type,
  available,
  referenceType,
  description,
}: MovementFacts): keyof typeof TEXTS | undefined {
  const isByHand = referenceType === 'admin-transaction';
  switch (type) {
    case 'deposit':
      if (amountIn(description) === '') return undefined;
      if (!isByHand) return 'deposit';
      return available.isNegative() ? 'depositTakenBack' : 'depositBooked';
    case 'withdrawal-requested':
      return 'reserved';
    case 'withdrawal-released':
      return 'released';
    case 'withdrawal-completed':
      return isByHand ? 'paidBooked' : 'paid';
    default:
      return undefined;
  }
}

/** The amount in the text of a posting, in the currency that arrived, with two decimals at least; empty without one. */
function amountIn(description: string): string {
  const [, whole, fraction = '', currency] = /\b(\d+)(?:\.(\d+))? (USDC|USDT|ETH)\b/.exec(description) ?? [];
  return whole === undefined ? '' : `${whole}.${fraction.padEnd(2, '0')} ${currency}`;
}
