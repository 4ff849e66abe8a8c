import { language } from './language.ts';

/**
 * Reads what a person types: a decimal with a point, or in German with a comma. Undefined if it is neither, or if it can be read in
 * two ways: `1,000` in English and `1.000` in German mean a thousand.
 */
export function parseTyped(typed: string): string | undefined {
  const text = typed.trim();
  const isGerman = language === 'de';
  if (!isGerman && text.includes(',')) return undefined;
  if (isGerman && /\.\d{3}$/.test(text)) return undefined;
  const decimal = text.replace(',', '.');
  return /^\d{1,18}(\.\d{1,6})?$/.test(decimal) ? decimal : undefined;
}

/** The amount as a person would type it. */
export const toTyped = (amount: string): string => (language === 'de' ? amount.replace('.', ',') : amount);
