import { sqlState } from '../../common/errors/sql-state.js';
import { PublicText } from './public-text.js';

const REDACTED = '[redacted]';
const DEEPEST = 5;
/** Parts of names whose values are secret, in texts and as names of fields. */
const SECRET_WORDS =
  'password|passwd|pwd|secret|token|signature|authorization|cookie|session|api[-_]?key|idempotency[-_]?key';

/** Patterns of secrets. The order matters: an earlier rule may replace text that a later one matches. */
const FORMS: readonly (readonly [RegExp, string])[] = [
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"']*@/gi, `$1${REDACTED}@`], // credentials in an address
  [/\b(https?:\/\/[^\s/?#"'\])]+)[/?#](?:\[redacted\]|[^\s"')\]])*/gi, `$1/${REDACTED}`], // paths and queries may contain keys
  [/\b(Bearer|Basic)\s+[^\s"',]+/gi, REDACTED],
  [/(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]*/g, REDACTED],
  [/whsec_[\w+/=-]+/g, REDACTED],
  [/sk_[\w-]{20,}|(?<!\w)sk_[\w-]+/g, REDACTED], // API keys
  [/(?<![^\s@"'<>=:/])[^\s@"'<>=:/]+@[\w-]+\.[\w.-]+/g, REDACTED],
  [
    new RegExp(
      `((?:${SECRET_WORDS})[\\w-]{0,40}["']?\\s*[:=]\\s*)(?!\\[redacted\\])("[^"]*(?:"|$)|'[^']*(?:'|$)|[^\\s"',;})\\]]+)`,
      'gi',
    ),
    `$1${REDACTED}`,
  ],
  [
    /(?<![\w+/=-])(?!0x[0-9a-fA-F]+(?![\w-]))(?=[\w+/-]*[0-9])(?=[\w+/-]*[A-Z])(?=[\w+/-]*[a-z])[\w-]{40,}/g,
    REDACTED,
  ], // random text, such as tokens
];

/** Hex data, such as signatures; the client chooses its length. */
const LONG_HEX = /0x[0-9a-f]{128,}/gi;
/** Longer texts are cut, because the search for secrets takes time. */
const LONGEST = 8000;

/** Every pattern needs one of these or as many characters. Other texts are skipped. */
const SUSPICIOUS = /[:=@]|bearer|basic|eyJ|whsec_|sk_/i;
const SUSPICIOUS_LENGTH = 40;

const SECRET_FIELD_NAME = new RegExp(`${SECRET_WORDS}|email|csrf|idempotency`, 'i');

/** Removes secrets and e-mail addresses from log lines. */
export class Scrubbing {
  private readonly known: readonly string[];

  /** `secrets` are the secret values of the configuration, which are removed wherever they occur. */
  constructor(secrets: readonly string[] = []) {
    this.known = secrets.filter(({ length }) => length >= 4).sort((a, b) => b.length - a.length);
  }

  text(text: string): string {
    let scrubbed = text;
    for (const secret of this.known) scrubbed = scrubbed.replaceAll(secret, REDACTED);
    if (scrubbed.length < SUSPICIOUS_LENGTH && !SUSPICIOUS.test(scrubbed)) return scrubbed;
    scrubbed = shortened(scrubbed.replace(LONG_HEX, REDACTED));
    for (const [form, instead] of FORMS) scrubbed = scrubbed.replace(form, instead);
    return scrubbed;
  }

  /** Scrubs the value of a field, including nested values. Only `PublicText` stays as it is. */
  value(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.text(value);
    if (value instanceof Error) return this.error(value, depth);
    if (value instanceof Date || typeof value !== 'object' || value === null) return value;
    const publicText = PublicText.textOf(value);
    if (publicText !== undefined) return publicText;
    if (depth >= DEEPEST) return REDACTED;
    if (Array.isArray(value)) return value.map((item) => this.value(item, depth + 1));
    const fields = Object.entries(value).map(([name, inner]) => [
      name,
      SECRET_FIELD_NAME.test(name) && inner !== null ? REDACTED : this.value(inner, depth + 1),
    ]);
    return Object.fromEntries(fields) as unknown;
  }

  /** Name, message, stack and cause only: other fields can contain query parameters or a whole request. */
  error(error: Error, depth = 0): object {
    const quiet = quotesWhatItWasGiven(error)
      ? (text: string) => text.replace(/(["'`]).*\1/gs, REDACTED)
      : asItIs;
    const [message, stack] = [error.message, error.stack ?? ''].map((text) => this.text(quiet(text)));
    const cause = error.cause instanceof Error && depth < DEEPEST ? error.cause : undefined;
    return { type: error.name, message, stack, ...(cause ? { cause: this.error(cause, depth + 1) } : {}) };
  }
}

/** Cuts between words, so that no part of a secret remains. */
function shortened(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, text.lastIndexOf(' ', LONGEST) + 1)}[shortened]`;
}

/** Messages of parsers, and of PostgreSQL about unreadable values, repeat the value. */
function quotesWhatItWasGiven(error: Error): boolean {
  return error instanceof SyntaxError || (sqlState(error) ?? '').startsWith('22');
}

const asItIs = (text: string) => text;
