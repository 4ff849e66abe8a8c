import { MICRO_SCALE, type Money } from './money.js';

// What the texts for users have in common.

export const LANGUAGES = ['en', 'de'] as const;
/** A language in which the service writes to users. */
export type Language = (typeof LANGUAGES)[number];

/** German for the language tags de, de-CH …; English for all others. */
export function languageOf(tag: string): Language {
  return /^de(-|$)/i.test(tag) ? 'de' : 'en';
}

/** A text in each language, with places such as `{amount}`. */
export type Phrase = Readonly<Record<Language, string>>;

export function phraseText(phrase: Phrase, language: Language, values: Record<string, string> = {}): string {
  return phrase[language].replace(/\{(\w+)\}/g, (_place, name: string) => values[name] ?? '');
}

/**
 * Translates an English text that is stored in the database. It stays English if no phrase has it, as text that an admin or an
 * earlier version has written.
 */
export function translatedText(text: string, language: Language, phrases: readonly Phrase[]): string {
  if (language === 'en') return text;
  for (const phrase of phrases) {
    const match = patternOf(phrase.en).exec(text);
    if (match) return phraseText(phrase, language, match.groups);
  }
  return text;
}

const patterns = new Map<string, RegExp>();

/** Matches the texts of an English phrase, with a group for each place. */
function patternOf(phrase: string): RegExp {
  const cached = patterns.get(phrase);
  if (cached) return cached;
  const escaped = phrase.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(`^${escaped.replace(/\{(\w+)\}/g, '(?<$1>.+)')}$`, 's');
  patterns.set(phrase, pattern);
  return pattern;
}

/** With two to six decimals, rounded down, as responses show amounts: smaller parts are credited to no user. */
export function moneyText(amount: Money, currency = 'USDC'): string {
  return `${amount.roundDown(MICRO_SCALE).toWire()} ${currency}`;
}

export function timeText(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Joins the sentences that are there. */
export function sentences(...parts: readonly (string | null)[]): string {
  return parts.filter(Boolean).join(' ');
}

/** Joins the lines of a text, and removes the characters that change its direction. */
export function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/[\u202A-\u202E\u2066-\u2069]/g, '')
    .trim();
}
