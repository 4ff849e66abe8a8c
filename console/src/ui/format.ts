import { language } from './language.ts';

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;
const STEPS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** The variant of the chosen language that the browser prefers, such as `en-GB`, for dates and numbers. */
export const locale = navigator.languages.find((name) => name.startsWith(language)) ?? language;

const cents = new Intl.NumberFormat(locale, {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
  roundingMode: 'trunc',
});
const exact = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 20 });
const shares = new Intl.NumberFormat(locale, {
  style: 'percent',
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
  roundingMode: 'trunc',
});
const sixPlaces = new Intl.NumberFormat(locale, { minimumFractionDigits: 6, maximumFractionDigits: 6 });
const decimalSign = exact.formatToParts(0).find(({ type }) => type === 'decimal')?.value ?? '.';
const whole = new Intl.NumberFormat(locale);
const localDate = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const localTime = new Intl.DateTimeFormat(locale, {
  ...{ hour: '2-digit', minute: '2-digit' },
  timeZoneName: 'short',
});
const utcDay = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });

/** A decimal string with two places, cut and not rounded: no amount looks larger than it is. It is never a number on the way. */
export const formatMoney = (amount: string): string => cents.format(amount as Intl.StringNumericLiteral);
/** A decimal string with all its places, and at least two. */
export const formatExactMoney = (amount: string): string => exact.format(amount as Intl.StringNumericLiteral);
/** A decimal string with exactly its digits, however many. */
export const formatDigits = (digits: string): string => digits.replace('.', decimalSign);
/** A ratio such as `1.0345` as percent, cut after two places. */
export const formatRatio = (ratio: string): string => shares.format(ratio as Intl.StringNumericLiteral);
/** A rate in percent. */
export const formatPercent = (rate: number | string): string =>
  cents.format(rate as Intl.StringNumericLiteral) + (language === 'de' ? '\u00a0%' : '%');
/** The value of a unit of a strategy. */
export const formatUnitValue = (value: number): string => sixPlaces.format(value);
export const formatCount = (count: number): string => whole.format(count);
/** A number of things. */
export const counted = (count: number, one: string, many: string): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;
/** The day and the time with its zone, in the local zone: narrow columns break between them. */
export const partsOfMoment = (at: string): [day: string, time: string] => [
  `${localDate.format(new Date(at))},`,
  localTime.format(new Date(at)),
];
export const formatMoment = (at: string): string => partsOfMoment(at).join(' ');
/** A calendar day in UTC, such as `2026-03-01`. */
export const formatDay = (day: string): string => utcDay.format(new Date(day));
/** The calendar day in UTC `count` days before a time or day. */
export const daysBefore = (at: string, count: number): string =>
  new Date(Date.parse(at) - count * DAY_MS).toISOString().slice(0, 10);
export const formatUtc = (at: string): string =>
  `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** An amount, with its currency if it has one, a day or a time as the page writes it; any other text unchanged. */
export function formatValue(text: string): string {
  const [, amount, currency = ''] = /^(-?\d+\.\d+)( [A-Z]+)?$/.exec(text) ?? [];
  if (amount !== undefined) return formatExactMoney(amount) + currency;
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return formatDay(text);
  return /^\d{4}-\d{2}-\d{2}T/.test(text) ? formatMoment(text) : text;
}

/** Such as "3 hours", without "ago". */
export function formatAge(since: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / SECOND_MS));
  const [unit, length] = STEPS.find(([, stepSeconds]) => seconds >= stepSeconds) ?? (['second', 1] as const);
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' });
  return format.format(Math.floor(seconds / length));
}

/** An address or a hash in groups of four, so that people can compare it; `0x` stays with the first group. An id has its own groups. */
export function groupsOf(value: string): string[] {
  if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value)) return value.split(/(?<=-)/);
  const [prefix, digits] = value.startsWith('0x') ? ['0x', value.slice(2)] : ['', value];
  const groups = digits.match(/.{1,4}/g) ?? [];
  return [prefix + (groups[0] ?? ''), ...groups.slice(1)];
}

export const shortened = (value: string): string =>
  value.length > 16 ? `${value.slice(0, 8)}…${value.slice(-6)}` : value;

// Controls of the direction of text, and characters without width: with them the name "gpj.exe" can be shown as "exe.jpg".
const HIDDEN = /[\p{Default_Ignorable_Code_Point}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** A text of other people, with the characters shown that would hide or reorder its parts. */
export const visibleText = (text: string): string =>
  text.replace(
    HIDDEN,
    (hidden) => `⟨U+${(hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );
