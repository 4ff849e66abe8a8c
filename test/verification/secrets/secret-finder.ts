import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** A text that may be a secret, and its line. */
export interface Suspicion {
  readonly kind: string;
  readonly line: number;
  readonly text: string;
}

/** Patterns of secrets; the first group, if any, is the secret. */
const SECRET_PATTERNS: Readonly<Record<string, RegExp>> = {
  'private key': /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/g,
  'private key of a blockchain account':
    /(?:key|secret|signer)\w*['"]?\s*[:=(]\s*['"`](0x[0-9a-f]{64})['"`]/gi,
  'mnemonic of a wallet': /['"`]((?:[a-z]{3,8} ){11}(?:(?:[a-z]{3,8} ){12})?[a-z]{3,8})['"`]/g,
  JWT: /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{5,}/g,
  'AWS key': /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  'GitHub token': /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,})/g,
  'GitLab token': /\bglpat-[\w-]{20,}/g,
  'Slack token': /\bxox[abeprs]-[\w-]{10,}|hooks\.slack\.com\/services\/[\w/]{20,}/g,
  'npm token': /\bnpm_[A-Za-z0-9]{36}\b/g,
  'Google key': /\bAIza[\w-]{35}/g,
  'Stripe key': /\b[rs]k_(?:live|test)_\w{16,}/g,
  'SendGrid key': /\bSG\.[\w-]{16,}\.[\w-]{16,}/g,
  'webhook secret': /\bwhsec_[A-Za-z0-9+/]{16,}={0,2}/g,
  'API key of this service': /\bsk_[\w-]{49}(?![\w-])/g,
  'password hash': /\$(?:argon2(?:id|i|d)|2[aby])\$[^\s'"`]{20,}/g,
  'password in a URL': /\b[a-z][a-z0-9+]*:\/\/[^\s:/@'"`]+:([^\s:/@'"`${}…]+)@/gi,
  password: /\b\w*(?:password|passwd|passphrase)['"]?\s*[:=]\s*['"`]([^'"`\s${}]{6,})['"`]/gi,
};

const LONG_WORD = /(?<![\w+/=-])[A-Za-z0-9+/_-]{32,}={0,2}(?![\w+/=-])/g;
const HEX = /^(?:0x)?[0-9a-f]+$/i;
const MIN_ENTROPY_BITS = 4.2; // per character

export function suspicionsIn(text: string): Suspicion[] {
  return text.split('\n').flatMap((line, index) => [
    ...Object.entries(SECRET_PATTERNS).flatMap(([kind, pattern]) =>
      [...line.matchAll(pattern)].map(([match, secret]) => ({
        kind,
        line: index + 1,
        text: secret ?? match,
      })),
    ),
    ...[...line.matchAll(LONG_WORD)]
      .filter(([word]) => looksRandom(word))
      .map(([word]) => ({ kind: 'random text', line: index + 1, text: word })),
  ]);
}

/** Whether a word has more entropy than names have. Hexadecimal numbers are excluded: hashes and addresses are public. */
function looksRandom(word: string): boolean {
  const isMixed = [/[a-z]/, /[A-Z]/, /[0-9].*[0-9]/].every((characters) => characters.test(word));
  return isMixed && !HEX.test(word) && bitsPerCharacter(word) >= MIN_ENTROPY_BITS;
}

/** The Shannon entropy of the word. */
function bitsPerCharacter(word: string): number {
  const counts = new Map<string, number>();
  for (const character of word) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((bits, count) => {
    const share = count / word.length;
    return bits - share * Math.log2(share);
  }, 0);
}

/** Names of folders and files. */
const IGNORED_NAMES = new Set(['node_modules', 'dist', 'coverage', '.data', '.git', '.env']);

/** The files that git does not ignore; without a git checkout, `unpackedFiles`. */
export function projectFiles(root: string): string[] {
  try {
    const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return listed.split('\0').filter((file) => file !== '');
  } catch {
    return unpackedFiles(root);
  }
}

/** All files whose path contains no name of IGNORED_NAMES, for a copy of the project without git. */
export function unpackedFiles(root: string): string[] {
  return readdirSync(root, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => !file.split(/[\\/]/).some((part) => IGNORED_NAMES.has(part)));
}

export function textOf(root: string, file: string): string {
  return readFileSync(join(root, file), 'utf8');
}
