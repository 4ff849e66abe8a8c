export type Language = 'en' | 'de';

const KEY = 'language';

function chosenLanguage(): Language {
  const stored = localStorage.getItem(KEY);
  if (stored === 'en' || stored === 'de') return stored;
  return navigator.language.startsWith('de') ? 'de' : 'en';
}

export const language: Language = chosenLanguage();
document.documentElement.lang = language;

/** Loads the page again, because texts are chosen when their module is loaded. */
export function changeLanguage(to: Language): void {
  localStorage.setItem(KEY, to);
  location.reload();
}

/** The texts of the chosen language. Each text is given as `[English, German]`; a text with figures is a function. */
export function inLanguage<Texts extends Record<string, readonly [unknown, unknown]>>(
  texts: Texts,
): { readonly [Name in keyof Texts]: Texts[Name][0] } {
  const index = language === 'de' ? 1 : 0;
  return Object.fromEntries(Object.entries(texts).map(([name, both]) => [name, both[index]])) as {
    [Name in keyof Texts]: Texts[Name][0];
  };
}
