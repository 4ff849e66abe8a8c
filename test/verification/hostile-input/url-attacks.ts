import { draft, pathOf, pathWith, type Attack, type AttackContext } from './attack.js';
import { validValue, uuid, type Field, type Operation } from './operations.js';
import { CANARY, DATE_VALUES, ID_VALUES, NUMBER_VALUES, TEXT_VALUES } from './values.js';

const hasPathParameter = ({ inPath }: Operation) => inPath.length > 0;
const hasQuery = ({ inQuery }: Operation) => inQuery.length > 0;

// Node rejects a request whose request line and headers are longer than 16 KiB together. These lengths leave space for the
// other parameters and for headers, so that the service itself receives the request.
const MAX_ENCODED_LENGTH = 6_000;
const LONG_LENGTH = 8_000;
const MANY_SEGMENTS = 3_000;
/** One more than the query parser of Express reads. */
const TOO_MANY_PARAMETERS = 1_001;

/** Percent-encoded UTF-8 of the text, or of its beginning if the text is too long. */
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

/** A query with one random parameter as `parameterOf` writes it; other required and some optional ones are valid. */
function queryWith({ operation, random }: AttackContext, parameterOf: (field: Field) => string): string {
  const field = random.oneOf(operation.inQuery);
  const otherFields = operation.inQuery.filter(
    (other) => other !== field && (other.required || random.next() < 0.2),
  );
  const validParameters = otherFields.map(
    (other) => `${other.name}=${encodeURIComponent(String(validValue(other, random)))}`,
  );
  return [...validParameters, parameterOf(field)].join('&');
}

/** Changes the value of one query parameter. */
const valueAttack = (name: string, encodedValueOf: (context: AttackContext) => string): Attack => ({
  name,
  fits: hasQuery,
  make: (context) =>
    draft(context, { query: queryWith(context, (field) => `${field.name}=${encodedValueOf(context)}`) }),
});

/** Changes how one query parameter with a valid value is written. */
const parameterAttack = (
  name: string,
  write: (fieldName: string, encodedValue: string) => string,
): Attack => ({
  name,
  fits: hasQuery,
  make: (context) => {
    const parameterOf = (field: Field) =>
      write(field.name, encodeURIComponent(String(validValue(field, context.random))));
    return draft(context, { query: queryWith(context, parameterOf) });
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
    name: 'id: of no record',
    fits: hasPathParameter,
    make: (context) => draft(context, { path: pathWith(context, uuid(context.random)) }),
  },
  {
    name: "id: of a record (own or another user's)",
    fits: hasPathParameter,
    make: (context) => draft(context),
  },

  ...Object.entries(TEXT_VALUES).map(([name, text]) =>
    valueAttack(`query: text, ${name}`, () => encoded(text)),
  ),
  valueAttack('query: number', ({ random }) => encoded(random.oneOf(NUMBER_VALUES))),
  valueAttack('query: date', ({ random }) => encoded(random.oneOf(DATE_VALUES))),
  valueAttack('query: invalid percent-encoding or UTF-8', ({ random }) =>
    random.oneOf(['%', '%zz', '%f', '%ff', '%c0%80', '%u0041', '%%']),
  ),
  valueAttack('query: null byte', ({ random }) => random.oneOf(['%00', '1%00'])),
  valueAttack('query: plus and space', ({ random }) => random.oneOf(['+', '%20', '%2B', '1+', '+1'])),
  parameterAttack('query: parameter twice', (name, value) => `${name}=${value}&${name}=${value}`),
  parameterAttack('query: parameter a hundred times', (name, value) =>
    Array(100).fill(`${name}=${value}`).join('&'),
  ),
  parameterAttack('query: parameter as a list', (name, value) => `${name}[]=${value}`),
  parameterAttack(
    'query: parameter as a list with indexes',
    (name, value) => `${name}[0]=${value}&${name}[999999999]=${value}`,
  ),
  parameterAttack('query: parameter as an object', (name, value) => `${name}[$ne]=${value}`),
  parameterAttack(
    'query: parameter as an object with a property __proto__',
    (name, value) => `${name}[__proto__][isAdmin]=${value}&__proto__[x]=1`,
  ),
  parameterAttack('query: parameter without a value', (name) => name),
  parameterAttack('query: empty names and values', (name) => `${name}=&=&&=x`),
  parameterAttack(
    'query: parameter with an encoded name',
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
  queryAttack(
    'query: unknown parameter',
    ({ random }) => `${CANARY}=${random.oneOf(['1', '', '%27', CANARY])}&_=1`,
  ),
  queryAttack(
    'query: parameters named as properties of prototypes',
    () => '__proto__=1&constructor=2&hasOwnProperty=3&toString=4&length=5',
  ),
  queryAttack('query: too many parameters', () =>
    Array.from({ length: TOO_MANY_PARAMETERS }, (_, i) => `k${i}=${i}`).join('&'),
  ),
  queryAttack('query: long value', () => `x=${'y'.repeat(LONG_LENGTH)}`),
  queryAttack('query: misplaced delimiters', ({ random }) =>
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
  pathAttack('path: parameter after a semicolon', (path) => `${path};${CANARY}=1`),
  pathAttack(
    'path: file extension',
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
  pathAttack('path: bytes without percent-encoding', (path) => `${path}\xff\xfe`),
  pathAttack('path: long segment', (path) => `${path}/${'x'.repeat(LONG_LENGTH)}`),
  pathAttack('path: many segments', (path) => path + '/x'.repeat(MANY_SEGMENTS)),
  pathAttack('path: absolute URL of another host', (path) => `http://127.0.0.1:1${path}`),
  pathAttack('path: literal ":id" as last segment', (path) => path.replace(/[^/]+$/, ':id')),
];
