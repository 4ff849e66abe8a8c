import { draft, pathOf, pathWith, type Attack, type AttackContext } from './attack.js';
import { validValue, uuid, type Field, type Operation } from './operations.js';
import { CANARY, DATE_VALUES, ID_VALUES, NUMBER_VALUES, TEXT_VALUES } from './values.js';

const hasPathParameter = ({ inPath }: Operation) => inPath.length > 0;
const hasQuery = ({ inQuery }: Operation) => inQuery.length > 0;

const MAX_ENCODED_LENGTH = 6_000;

/** Percent-encoded UTF-8 of the text, or of its beginning if it is too long for a request line. */
function encoded(text: string): string {
  let result = '';
  for (const character of text) {
    const longer = result + encodedCharacter(character);
    if (longer.length > MAX_ENCODED_LENGTH) break;
    result = longer;
  }
  return result;
}

/** A lone surrogate becomes its own three bytes, which are not valid UTF-8. */
function encodedCharacter(character: string): string {
  if (!/\p{Cs}/u.test(character)) return encodeURIComponent(character);
  const code = character.charCodeAt(0);
  return [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)].map(percentEncoded).join('');
}

const percentEncoded = (byte: number) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;

/** A query in which `textOf` writes one random parameter; required parameters and some optional ones are valid. */
function queryWith({ operation, random }: AttackContext, textOf: (field: Field) => string): string {
  const field = random.oneOf(operation.inQuery);
  const otherFields = operation.inQuery.filter(
    (other) => other !== field && (other.required || random.next() < 0.2),
  );
  const validParameters = otherFields.map(
    (other) => `${other.name}=${encodeURIComponent(String(validValue(other, random)))}`,
  );
  return [...validParameters, textOf(field)].join('&');
}

/** Changes the value of one query parameter. */
const valueAttack = (name: string, valueOf: (context: AttackContext) => string): Attack => ({
  name,
  fits: hasQuery,
  make: (context) =>
    draft(context, { query: queryWith(context, (field) => `${field.name}=${valueOf(context)}`) }),
});

/** Changes how one query parameter with a valid value is written. */
const parameterAttack = (name: string, textOf: (field: string, value: string) => string): Attack => ({
  name,
  fits: hasQuery,
  make: (context) => {
    const value = (field: Field) => encodeURIComponent(String(validValue(field, context.random)));
    return draft(context, { query: queryWith(context, (field) => textOf(field.name, value(field))) });
  },
});

/** Replaces the whole query. */
const queryAttack = (name: string, queryOf: (context: AttackContext) => string): Attack => ({
  name,
  make: (context) => draft(context, { query: queryOf(context) }),
});

const pathAttack = (name: string, change: (path: string, context: AttackContext) => string): Attack => ({
  name,
  make: (context) => draft(context, { path: change(pathOf(context), context) }),
});

export const URL_ATTACKS: readonly Attack[] = [
  ...Object.entries(ID_VALUES).map(([name, id]) => ({
    name: `id: ${name}`,
    fits: hasPathParameter,
    make: (context: AttackContext) => draft(context, { path: pathWith(context, id) }),
  })),
  {
    name: 'id: unknown',
    fits: hasPathParameter,
    make: (context) => draft(context, { path: pathWith(context, uuid(context.random)) }),
  },
  { name: "id: existing (own or another user's)", fits: hasPathParameter, make: (context) => draft(context) },

  ...Object.entries(TEXT_VALUES).map(([name, text]) =>
    valueAttack(`query: text, ${name}`, () => encoded(text)),
  ),
  valueAttack('query: number', ({ random }) => encoded(random.oneOf(NUMBER_VALUES))),
  valueAttack('query: date', ({ random }) => encoded(random.oneOf(DATE_VALUES))),
  valueAttack('query: invalid percent-encoding or UTF-8', ({ random }) =>
    random.oneOf(['%', '%zz', '%f', '%ff', '%00', '%c0%80', '%u0041', '%%']),
  ),
  valueAttack('query: plus and space', ({ random }) => random.oneOf(['+', '%20', '%2B', '1+', '+1', '1%00'])),
  parameterAttack('query: twice', (name, value) => `${name}=${value}&${name}=${value}`),
  parameterAttack('query: a hundred times', (name, value) => Array(100).fill(`${name}=${value}`).join('&')),
  parameterAttack('query: list', (name, value) => `${name}[]=${value}`),
  parameterAttack('query: indexed', (name, value) => `${name}[0]=${value}&${name}[999999999]=${value}`),
  parameterAttack('query: object', (name, value) => `${name}[$ne]=${value}`),
  parameterAttack('query: prototype', (name, value) => `${name}[__proto__][isAdmin]=${value}&__proto__[x]=1`),
  parameterAttack('query: without a value', (name) => name),
  parameterAttack('query: empty names and values', (name) => `${name}=&=&&=x`),
  parameterAttack(
    'query: encoded name',
    (name, value) => `${percentEncoded(name.charCodeAt(0))}${name.slice(1)}=${value}`,
  ),
  {
    name: 'query: page far beyond the end',
    fits: ({ inQuery }) => inQuery.some(({ name }) => name === 'page'),
    make: (context) => {
      const page = context.random.oneOf(['100000000', '99999999', '2147483648', '1000001', '100000001']);
      return draft(context, { query: `page=${page}&limit=${context.random.oneOf([100, 1, 99])}` });
    },
  },
  queryAttack('query: unknown', ({ random }) => `${CANARY}=${random.oneOf(['1', '', '%27', CANARY])}&_=1`),
  queryAttack(
    'query: prototype names',
    () => '__proto__=1&constructor=2&hasOwnProperty=3&toString=4&length=5',
  ),
  queryAttack('query: many', () => Array.from({ length: 1_000 }, (_, i) => `k${i}=${i}`).join('&')),
  queryAttack('query: long', () => `x=${'y'.repeat(8_000)}`),
  queryAttack('query: delimiters only', ({ random }) =>
    random.oneOf(['?', '??', '&&&', '=', '&=&', '#', ';', '%26', '?a?b?']),
  ),

  pathAttack('path: CR LF injection', (path) => `${path}%0d%0aX-Injected:%20${CANARY}`),
  pathAttack('path: null byte', (path) => `${path}%00.json`),
  pathAttack(
    'path: extra segments',
    (path, { random }) => `${path}/${random.oneOf([CANARY, '..', '.', '%2e', 'x/y/z', '%2f'])}`,
  ),
  pathAttack(
    'path: traversal',
    (path, { random }) => random.oneOf(['/..', '/api/..', '/%2e%2e', '/api/x/..']) + path,
  ),
  pathAttack('path: doubled slashes', (path) => path.replaceAll('/', '//')),
  pathAttack('path: trailing slash', (path) => `${path}/`),
  pathAttack('path: semicolon', (path) => `${path};${CANARY}=1`),
  pathAttack(
    'path: extension',
    (path, { random }) => path + random.oneOf(['.json', '.php', '.map', '~', '.bak']),
  ),
  pathAttack('path: upper case', (path) => path.toUpperCase()),
  pathAttack('path: backslashes', (path) => path.replaceAll('/', '\\')),
  pathAttack('path: encoded letter', (path) =>
    path.replace(/[a-z]/i, (letter) => percentEncoded(letter.charCodeAt(0))),
  ),
  pathAttack(
    'path: invalid percent-encoding or UTF-8',
    (path, { random }) => path + random.oneOf(['%', '%z', '%ff', '%c0%ae', '%ed%a0%80']),
  ),
  pathAttack('path: raw bytes', (path) => `${path}\xff\xfe`),
  pathAttack('path: long', (path) => `${path}/${'x'.repeat(7_000)}`),
  pathAttack('path: many segments', (path) => path + '/x'.repeat(3_000)),
  pathAttack('path: absolute URL of another host', (path) => `http://127.0.0.1:1${path}`),
  pathAttack('path: literal ":id" as last segment', (path) => path.replace(/[^/]+$/, ':id')),
];
