import { formatCount, formatValue } from './format.ts';
import { language } from './language.ts';
import { loadedGerman } from './loaded-german.ts';

/** The parts of an error response. Errors of single records of a batch have no details. */
interface Refusal {
  code: string;
  message: string;
  details?: unknown;
}

/** Texts for people that replace messages of the service that tell programs what to send. */
const ENGLISH: Readonly<Record<string, string>> = {
  'The account is locked: nothing that could lead money out of it is possible until it is unlocked (POST /api/user/unlock, or ask the support).':
    'The account is locked.',
  'Send the csrfToken of the sign-in in the header X-CSRF-Token.':
    'You have signed in again in another tab. Load this page again.',
  'This action needs a second factor: ask for a step-up (POST /api/user/step-up or /api/admin/step-up), and send its token in the header X-Step-Up.':
    'This action needs a second factor.',
  'Sign in first: send the header Authorization: Bearer <token>.': 'You are not signed in.',
  'The request is not valid. See details.': 'Something that was entered is not valid.',
};

/** The text of a refusal in the language of the page; the message of the service if there is none. */
export function textOf(refusal: Refusal): string {
  if (language === 'de') return loadedGerman()?.germanOf(refusal, valueText) ?? refusal.message;
  return ENGLISH[refusal.message] ?? refusal.message;
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(', ');
  if (typeof value === 'number') return formatCount(value);
  return formatValue(String(value));
}

interface Problem {
  field: string;
  message: string;
  line?: number;
}

/** What is wrong with single fields; in the words of the service where there is no German. */
export function problemsOf(details: unknown): { text: string; isEnglish: boolean }[] {
  const { fields } = (details ?? {}) as { fields?: readonly Problem[] };
  if (!Array.isArray(fields)) return [];
  return (fields as readonly Problem[]).map(({ field, message, line }) => {
    const translated = loadedGerman()?.germanProblem(field, message, valueText);
    const text = translated ?? `${field}: ${message}`;
    return { text: line === undefined ? text : `${line}: ${text}`, isEnglish: translated === undefined };
  });
}
