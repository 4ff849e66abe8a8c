import { formatCount, formatExactMoney, formatMoment } from './format.ts';
import { language } from './language.ts';

/** What a refusal consists of; those of the records of a batch come without details. */
interface Refusal {
  code: string;
  message: string;
  details?: unknown;
}

/** In place of messages that tell programs what to send. */
const ENGLISH: Readonly<Record<string, string>> = {
  ACCOUNT_LOCKED: 'The account is locked.',
  CSRF_INVALID: 'You have signed in again in another tab. Load this page again.',
  STEP_UP_REQUIRED: 'This action needs a second factor.',
  TOKEN_MISSING: 'You are not signed in.',
  VALIDATION_ERROR: 'Something that was entered is not valid.',
};

type German = typeof import('./german-texts.ts');

let german: German | undefined;

/** Resolves when the texts of the language are loaded, or cannot be. */
export async function loadTexts(): Promise<void> {
  if (language === 'de') german = await import('./german-texts.ts').catch(() => undefined);
}

/** The text of a refusal in the language of the page; the message of the service if there is none. */
export function textOf(refusal: Refusal): string {
  if (language === 'de') return german?.germanOf(refusal, valueText) ?? refusal.message;
  return ENGLISH[refusal.code] ?? refusal.message;
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(', ');
  if (typeof value === 'number') return formatCount(value);
  const text = String(value);
  if (/^\d+\.\d+$/.test(text)) return formatExactMoney(text);
  return /^\d{4}-\d{2}-\d{2}T/.test(text) ? formatMoment(text) : text;
}

interface Problem {
  field: string;
  message: string;
  line?: number;
}

/** What is wrong with single fields, in the words of the service. */
export function problemsOf(details: unknown): string[] {
  const { fields } = (details ?? {}) as { fields?: readonly Problem[] };
  if (!Array.isArray(fields)) return [];
  return (fields as readonly Problem[]).map(
    ({ field, message, line }) => `${line === undefined ? '' : `${line}: `}${field}: ${message}`,
  );
}
