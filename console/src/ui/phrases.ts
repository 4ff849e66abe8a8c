/** Texts that the service writes in English, and their German. `{…}` stands for a value. */
export type Phrases = readonly (readonly [english: string, german: string])[];

/** Translates the texts of these phrases; undefined for any other text, such as one of an admin. */
export function phraseBook(phrases: Phrases) {
  const patterns = phrases.map(([english, german]) => ({ pattern: patternOf(english), german }));
  return (text: string, valueText: (value: string) => string): string | undefined => {
    for (const { pattern, german } of patterns) {
      const found = pattern.exec(text);
      if (found)
        return german.replace(/\{(\w+)\}/g, (_, name: string) => valueText(found.groups?.[name] ?? ''));
    }
    return undefined;
  };
}

function patternOf(english: string): RegExp {
  const escaped = english.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\{(\w+)\}/g, '(?<$1>.+)')}$`);
}
