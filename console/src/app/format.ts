import { add } from '../ui/decimal.ts';
import { locale } from '../ui/format.ts';

const exact = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 24 });
const shortDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** A sum with all its decimals, for sentences. Intl formats a text exactly, without a float. */
export const formatSum = (amount: string, currency = 'USDC'): string =>
  `${exact.format(amount as Intl.StringNumericLiteral)} ${currency}`;
export const formatShortDay = (isoDay: string): string => shortDay.format(new Date(isoDay));
/** Without needless zeros, so that 100 and 100.00 are the same request. */
export const shortestDecimal = (amount: string): string => add(amount, '0');
