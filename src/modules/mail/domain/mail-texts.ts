import type { LanguageTexts } from '../mail.types.js';
import { ENGLISH } from './english-texts.js';
import { GERMAN } from './german-texts.js';

/** German for the language tags de, de-CH …; English for all others. */
export function textsIn(language: string): { readonly tag: string; readonly texts: LanguageTexts } {
  return /^de(-|$)/i.test(language) ? { tag: 'de', texts: GERMAN } : { tag: 'en', texts: ENGLISH };
}
