import { sqlState } from '../../common/errors/sql-state.js';
import { PublicText } from './public-text.js';

const REDACTED = '[redacted]';
/** Objects that are nested more deeply are redacted as a whole. */
const MAX_DEPTH = 5;
/** Longer texts are cut, because matching the patterns takes time in proportion to the length. */
const MAX_LENGTH = 8000;
/** A value is secret if its name contains one of these words, in a text (`password=…`) or as a field. */
const SECRET_WORDS =
  'password|passwd|pwd|secret|token|signature|authorization|cookie|session|api[-_]?key|idempotency[-_]?key';

/** Patterns of secrets and their replacements. Each pattern is applied to the result of the patterns before it. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  // The credentials of a URL: `postgres://user:password@host`.
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"']*@/gi, `$1${REDACTED}@`],
  // The path and the query of an HTTP URL, which may contain API keys. The host is kept.
  [/\b(https?:\/\/[^\s/?#"'\])]+)[/?#](?:\[redacted\]|[^\s"')\]])*/gi, `$1/${REDACTED}`],
  // The scheme and the credentials of an Authorization header.
  [/\b(Bearer|Basic)\s+[^\s"',]+/gi, REDACTED],
  // JSON Web Tokens.
  [/(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]*/g, REDACTED],
  // Secrets for signing webhooks.
  [/whsec_[\w+/=-]+/g, REDACTED],
  // API keys: `sk_` at the beginning of a word, or anywhere if at least 20 characters follow. `task_runner` is kept.
  [/sk_[\w-]{20,}|(?<!\w)sk_[\w-]+/g, REDACTED],
  // E-mail addresses.
  [/(?<![^\s@"'<>=:/])[^\s@"'<>=:/]+@[\w-]+\.[\w.-]+/g, REDACTED],
  // The value that follows a secret word and `:` or `=`. A quoted value ends at its closing quotation mark or with the text.
  [
    new RegExp(
      `((?:${SECRET_WORDS})[\\w-]{0,40}["']?\\s*[:=]\\s*)(?!\\[redacted\\])("[^"]*(?:"|$)|'[^']*(?:'|$)|[^\\s"',;})\\]]+)`,
      'gi',
    ),
    `$1${REDACTED}`,
  ],
  // Random tokens: at least 40 characters with upper-case letters, lower-case letters and digits. `0x` with hex digits is kept.
  [
    /(?<![\w+/=-])(?!0x[0-9a-fA-F]+(?![\w-]))(?=[\w+/-]*[0-9])(?=[\w+/-]*[A-Z])(?=[\w+/-]*[a-z])[\w-]{40,}/g,
    REDACTED,
  ],
];

/** Hex data of at least 64 bytes, such as signatures. Replaced before a text is cut, because callers choose its length. */
const LONG_HEX = /0x[0-9a-f]{128,}/gi;

/** Every pattern requires one of these parts or `MIN_RANDOM_LENGTH` characters. Texts with neither are not searched. */
const PATTERN_PARTS = /[:=@]|bearer|basic|eyJ|whsec_|sk_/i;
const MIN_RANDOM_LENGTH = 40;

const SECRET_FIELD_NAME = new RegExp(`${SECRET_WORDS}|email|csrf|idempotency`, 'i');

/** Removes secrets and e-mail addresses from log lines and error details. */
export class Scrubber {
  private readonly secrets: readonly string[];

  /**
   * `secrets` are the secret values of the configuration, which are removed wherever they occur. Values of less than four
   * characters are kept, because ordinary words contain them. The longest is removed first: it may contain a shorter one.
   */
  constructor(secrets: readonly string[] = []) {
    this.secrets = secrets.filter(({ length }) => length >= 4).sort((a, b) => b.length - a.length);
  }

  scrubText(text: string): string {
    let scrubbed = text;
    for (const secret of this.secrets) scrubbed = scrubbed.replaceAll(secret, REDACTED);
    if (scrubbed.length < MIN_RANDOM_LENGTH && !PATTERN_PARTS.test(scrubbed)) return scrubbed;
    scrubbed = truncate(scrubbed.replace(LONG_HEX, REDACTED));
    for (const [pattern, replacement] of PATTERNS) scrubbed = scrubbed.replace(pattern, replacement);
    return scrubbed;
  }

  /** Scrubs the value of a field, including nested values. Of texts only `PublicText` stays as it is. */
  scrubValue(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.scrubText(value);
    if (value instanceof Error) return this.scrubError(value, depth);
    if (value instanceof Date || typeof value !== 'object' || value === null) return value;
    const publicText = PublicText.textOf(value);
    if (publicText !== undefined) return publicText;
    if (depth >= MAX_DEPTH) return REDACTED;
    if (Array.isArray(value)) return value.map((item) => this.scrubValue(item, depth + 1));
    const fields = Object.entries(value).map(([name, inner]) => [
      name,
      SECRET_FIELD_NAME.test(name) && inner !== null ? REDACTED : this.scrubValue(inner, depth + 1),
    ]);
    return Object.fromEntries(fields) as unknown;
  }

  /** Returns name, message, stack and cause only: other fields can contain query parameters or a whole request. */
  scrubError(error: Error, depth = 0): object {
    const scrub = (text: string) => this.scrubText(repeatsInput(error) ? redactQuotations(text) : text);
    const cause = error.cause instanceof Error && depth < MAX_DEPTH ? error.cause : undefined;
    return {
      type: error.name,
      message: scrub(error.message),
      stack: scrub(error.stack ?? ''),
      ...(cause ? { cause: this.scrubError(cause, depth + 1) } : {}),
    };
  }
}

/** Cuts between words, because the beginning of a secret might not match the pattern of the secret. */
function truncate(text: string): string {
  return text.length <= MAX_LENGTH
    ? text
    : `${text.slice(0, text.lastIndexOf(' ', MAX_LENGTH) + 1)}[shortened]`;
}

/** Error messages of parsers, and of PostgreSQL about invalid values (SQLSTATE class 22), quote the invalid input. */
function repeatsInput(error: Error): boolean {
  return error instanceof SyntaxError || (sqlState(error) ?? '').startsWith('22');
}

/** Redacts from the first to the last quotation mark, because the quoted input may contain quotation marks. */
function redactQuotations(text: string): string {
  return text.replace(/(["'`]).*\1/gs, REDACTED);
}
