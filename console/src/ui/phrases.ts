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

/** An amount such as "10.00 USDC", so that a text of an admin such as "Deposit of a friend" is not taken for one of the service. */
const AMOUNT = '-?\\d[\\d.]*(?: [A-Z]+)?';

function patternOf(english: string): RegExp {
  const escaped = english.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  const groups = escaped.replace(
    /\{(\w+)\}/g,
    (_, name: string) => `(?<${name}>${name === 'amount' ? AMOUNT : '.+'})`,
  );
  return new RegExp(`^${groups}$`);
}
