/** Its message is the reason why a text is not strict JSON. */
export class StrictJsonError extends Error {}

const MAX_DEPTH = 32;
const LONE_SURROGATE = /\p{Cs}/u; // PostgreSQL refuses it in text and jsonb
const STRING = /"(?:[^"\\\u0000-\u001f]|\\.)*"/y;

/**
 * Refuses ambiguous JSON that JSON.parse accepts: duplicate keys, keys of Object.prototype, deep nesting, NUL characters and
 * lone surrogates. Runs before the parser, which checks the grammar.
 */
export function requireStrictJson(text: string): void {
  const open: (Set<string> | undefined)[] = []; // the keys of each open object; undefined for an array
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '"') {
      STRING.lastIndex = i;
      const [literal] = STRING.exec(text) ?? [];
      if (literal === undefined) throw new StrictJsonError('a string is not closed');
      i += literal.length - 1;
      checkString(literal, isKey(text, i + 1) ? open.at(-1) : undefined);
    } else if (char === '{' || char === '[') {
      if (open.push(char === '{' ? new Set() : undefined) > MAX_DEPTH) {
        throw new StrictJsonError(`nested deeper than ${MAX_DEPTH}`);
      }
    } else if (char === '}' || char === ']') open.pop();
  }
}

function isKey(text: string, from: number): boolean {
  let i = from;
  while (text[i] === ' ' || text[i] === '\n' || text[i] === '\r' || text[i] === '\t') i++;
  return text[i] === ':';
}

function checkString(literal: string, keys: Set<string> | undefined): void {
  const value = unescaped(literal);
  if (value.includes('\0')) throw new StrictJsonError('a NUL character');
  if (LONE_SURROGATE.test(value)) throw new StrictJsonError('a lone surrogate');
  if (!keys) return;
  // toString, __proto__ …: code that reads the object could mistake the value for the inherited one
  if (value in Object.prototype || value === 'prototype')
    throw new StrictJsonError('a key that is not allowed');
  if (keys.has(value)) throw new StrictJsonError('a duplicate key');
  keys.add(value);
}

function unescaped(literal: string): string {
  if (!literal.includes('\\')) return literal.slice(1, -1);
  try {
    return JSON.parse(literal) as string;
  } catch {
    throw new StrictJsonError('a string has a wrong escape');
  }
}
