import { GERMAN_ERRORS } from './german-errors.ts';
import { GERMAN_SENTENCES } from './german-sentences.ts';

/** The messages of codes that also occur with more specific ones. */
export const GENERAL: Readonly<Record<string, string>> = {
  FORBIDDEN: 'This is not permitted.',
  FOUR_EYES_REQUIRED: 'Another admin has to approve this first.',
  INVALID_AMOUNT: 'The amount is not valid. See details.',
  LIMIT_REACHED:
    'The largest allowed number exists already: see details. Delete one that you no longer need.',
  INSUFFICIENT_BALANCE: 'The available balance is below the amount.',
  INVALID_STATE: 'This is not possible in the present state.',
  INVALID_STRATEGY: 'There is no such strategy.',
  SERVICE_UNAVAILABLE: 'The service is not able to answer just now. Try again shortly.',
};

interface Refusal {
  code: string;
  message: string;
  details?: unknown;
}

/** German for a refusal. A specific message without a translation is quoted: it says more than its code. */
export function germanOf(refusal: Refusal, valueText: (value: unknown) => string): string | undefined {
  const { code, message, details } = refusal;
  if (Object.hasOwn(GERMAN_SENTENCES, message)) return GERMAN_SENTENCES[message];
  const text = Object.hasOwn(GERMAN_ERRORS, code) ? GERMAN_ERRORS[code] : undefined;
  if (text === undefined) return undefined;
  const filled = fill(text, (details ?? {}) as Record<string, unknown>, valueText);
  return message === (GENERAL[code] ?? message) ? filled : `${filled}: „${message}“`;
}

function fill(text: string, values: Record<string, unknown>, valueText: (value: unknown) => string): string {
  const isKnown = (name: string) => values[name] !== undefined && values[name] !== null;
  return text
    .replace(/\[(.*?)\]/g, (_, part: string) =>
      [...part.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => isKnown(name)) ? part : '',
    )
    .replace(/\{(\w+)\}/g, (_, name: string) => (isKnown(name) ? valueText(values[name]) : '…'));
}
