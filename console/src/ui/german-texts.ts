import { GERMAN_ERRORS } from './german-errors.ts';
import { GERMAN_SENTENCES } from './german-sentences.ts';
export { germanProblem } from './german-problems.ts';
export { DESCRIPTIONS } from './german-strategies.ts';
import { phraseBook } from './phrases.ts';

interface Refusal {
  code: string;
  message: string;
  details?: unknown;
}

const sentenceOf = phraseBook(Object.entries(GERMAN_SENTENCES));

/** German for a refusal. A specific message without a translation is quoted: it says more than its code. */
export function germanOf(refusal: Refusal, valueText: (value: unknown) => string): string | undefined {
  const { code, message, details } = refusal;
  const sentence = sentenceOf(message, valueText);
  if (sentence !== undefined) return sentence;
  const texts = Object.hasOwn(GERMAN_ERRORS, code) ? GERMAN_ERRORS[code] : undefined;
  if (texts === undefined) return undefined;
  const [ownMessage, german] = texts;
  const filled = fill(german, (details ?? {}) as Record<string, unknown>, valueText);
  return message === ownMessage ? filled : `${filled}: „${message}“`;
}

function fill(text: string, values: Record<string, unknown>, valueText: (value: unknown) => string): string {
  const isKnown = (name: string) => values[name] !== undefined && values[name] !== null;
  return text
    .replace(/\[(.*?)\]/g, (_, part: string) =>
      [...part.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => isKnown(name)) ? part : '',
    )
    .replace(/\{(\w+)\}/g, (_, name: string) => (isKnown(name) ? valueText(values[name]) : '…'));
}
