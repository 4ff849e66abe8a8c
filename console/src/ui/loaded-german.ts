import { language } from './language.ts';

type German = typeof import('./german-texts.ts');

let german: German | undefined;

/** Resolves when the texts of the language are loaded, or cannot be. */
export async function loadTexts(): Promise<void> {
  if (language === 'de') german = await import('./german-texts.ts').catch(() => undefined);
}

/** German for texts of the service; undefined on an English page, and if it could not be loaded. */
export const loadedGerman = (): German | undefined => german;

/** The description of a strategy, whose name is the same in every language. */
export const strategyText = (description: string): string => german?.DESCRIPTIONS[description] ?? description;
