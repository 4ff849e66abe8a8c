import { languageOf, type Language } from '../../../../common/message-texts.js';
import type { LanguageTexts } from '../mail.types.js';
import { ENGLISH } from './english-texts.js';
import { GERMAN } from './german-texts.js';

const TEXTS: Readonly<Record<Language, LanguageTexts>> = { en: ENGLISH, de: GERMAN };

/** `language`: a language tag, such as that of a profile. */
export function textsIn(language: string): { readonly tag: Language; readonly texts: LanguageTexts } {
  const tag = languageOf(language);
  return { tag, texts: TEXTS[tag] };
}
