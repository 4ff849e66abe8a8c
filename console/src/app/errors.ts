import { ApiError } from '../api/client.ts';
import { problemsOf, textOf } from '../ui/error-texts.ts';
import { inLanguage, language } from '../ui/language.ts';
import { formatMoment } from '../ui/format.ts';
import { formatSum } from './format.ts';

interface Description {
  text: string;
  remedy?: string;
  traceId?: string;
}

const T = inLanguage({
  unreachable: ['The service could not be reached', 'Der Dienst war nicht erreichbar'],
  notRead: [
    'Check your connection, then try again.',
    'Prüfen Sie die Verbindung und versuchen Sie es dann noch einmal.',
  ],
  sameKey: [
    'Check your connection and press the button again: the same request is never carried out twice.',
    'Prüfen Sie die Verbindung und drücken Sie noch einmal: Derselbe Auftrag wird nie zweimal ausgeführt.',
  ],
  mayBeDone: [
    'Check your connection and load the page again: see whether it was done before you repeat it.',
    'Prüfen Sie die Verbindung und laden Sie die Seite neu: Sehen Sie nach, ob es ausgeführt wurde, bevor Sie es wiederholen.',
  ],
  signInAgain: ['Sign in again.', 'Melden Sie sich noch einmal an.'],
  later: ['Wait a minute, then try again.', 'Warten Sie eine Minute und versuchen Sie es dann noch einmal.'],
});

/** What to do about a refusal. The service's own message says what is wrong. */
const REMEDIES: Record<string, readonly [english: string, german: string]> = {
  INSUFFICIENT_BALANCE: [
    'Enter at most your available balance.',
    'Geben Sie höchstens Ihr verfügbares Guthaben ein.',
  ],
  WITHDRAWAL_LIMIT_EXCEEDED: [
    'Enter at most what the limits leave.',
    'Geben Sie höchstens ein, was die Grenzen zulassen.',
  ],
  ACCOUNT_LOCKED: [
    '“Security” says who can unlock the account.',
    'Unter „Sicherheit“ steht, wer das Konto entsperren kann.',
  ],
  SECURITY_HOLD: ['Wait until the security hold ends.', 'Warten Sie, bis die Sicherheitsfrist endet.'],
  INVESTMENT_LOCKED: ['Wait until the lock-up ends.', 'Warten Sie, bis die Bindung endet.'],
  PROOF_PENDING: [
    'The log takes new entries every few seconds: try again.',
    'Das Protokoll nimmt alle paar Sekunden Einträge auf: Versuchen Sie es noch einmal.',
  ],
  STEP_UP_REQUIRED: [
    'Add a passkey or one-time codes under “Security” first.',
    'Fügen Sie zuerst unter „Sicherheit“ einen Passkey oder Einmalcodes hinzu.',
  ],
  STEP_UP_INVALID: ['Start the action again.', 'Beginnen Sie noch einmal.'],
  CODE_INVALID: [
    'Enter the code that the app shows now.',
    'Geben Sie den Code ein, den die App jetzt zeigt.',
  ],
  TOO_MANY_ATTEMPTS: ['Wait fifteen minutes.', 'Warten Sie fünfzehn Minuten.'],
};

function detailsText(details: unknown): string | undefined {
  const problems = problemsOf(details);
  if (problems.length > 0) return problems.map(({ text }) => `${text.replace(/\.$/, '')}.`).join(' ');
  const { available, until, lockedUntil } = (details ?? {}) as Record<string, string | undefined>;
  if (available && /^\d/.test(available)) return `${formatSum(available)}.`;
  const end = until ?? lockedUntil;
  return end && !Number.isNaN(Date.parse(end)) ? formatMoment(end) : undefined;
}

/** `fetch` rejects with a TypeError if the connection fails; the client gives up after a minute with a TimeoutError. */
const isWithoutAnswer = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError');

/** What a request without an answer may have done: nothing, because it reads; at most one change; a change at each attempt. */
export type Repetition = 'reads' | 'acts-once' | 'acts-again';

const WITHOUT_ANSWER: Record<Repetition, string> = {
  reads: T.notRead,
  'acts-once': T.sameKey,
  'acts-again': T.mayBeDone,
};

/** The sentences that a failed request shows: what is wrong and what to do. */
export function describeError(error: unknown, repetition: Repetition): Description {
  if (error instanceof ApiError) {
    const { code, details, traceId, status } = error as ApiError;
    const text = textOf(error as ApiError);
    const known = REMEDIES[code]?.[language === 'de' ? 1 : 0];
    const general = status === 401 ? T.signInAgain : status === 429 || status === 503 ? T.later : undefined;
    const remedy = [detailsText(details), known ?? general].filter(Boolean).join(' ');
    return { text, remedy: remedy || undefined, traceId: status >= 500 ? traceId : undefined };
  }
  if (isWithoutAnswer(error)) return { text: T.unreachable, remedy: WITHOUT_ANSWER[repetition] };
  return { text: error instanceof Error ? error.message : String(error) };
}
