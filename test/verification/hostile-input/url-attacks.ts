import { draft, pathOf, pathWith, type Attack, type AttackContext } from './attack.js';
import { validValue, uuid, type Field, type Operation } from './operations.js';
import { CANARY, DATE_VALUES, ID_VALUES, NUMBER_VALUES, TEXT_VALUES } from './values.js';

const hasId = ({ inPath }: Operation) => inPath.length > 0;
const hasQuery = ({ inQuery }: Operation) => inQuery.length > 0;

/** Percent-encoded UTF-8; a lone surrogate becomes three bytes that are not valid UTF-8. */
const encoded = (text: string) =>
  encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd')).replaceAll('%EF%BF%BD', '%ED%A0%80');

/** The path with one query parameter set to this value and valid values for all other ones. */
function withParameter({ operation, random }: AttackContext, value: (field: Field) => string): string {
  const field = random.oneOf(operation.inQuery);
  const others = operation.inQuery.filter(
    (other) => other !== field && (other.required || random.next() < 0.2),
  );
  const rest = others.map(
    (other) => `${other.name}=${encodeURIComponent(String(validValue(other, random)))}`,
  );
  return [...rest, value(field)].join('&');
}

const parameter = (name: string, value: (means: AttackContext) => string): Attack => ({
  name,
  fits: hasQuery,
  make: (means) => draft(means, { query: withParameter(means, (field) => `${field.name}=${value(means)}`) }),
});

const shaped = (name: string, shape: (field: string, value: string) => string): Attack => ({
  name,
  fits: hasQuery,
  make: (means) => {
    const value = (field: Field) => encodeURIComponent(String(validValue(field, means.random)));
    return draft(means, { query: withParameter(means, (field) => shape(field.name, value(field))) });
  },
});

const anyQuery = (name: string, query: (means: AttackContext) => string): Attack => ({
  name,
  make: (means) => draft(means, { query: query(means) }),
});

const path = (name: string, change: (path: string, means: AttackContext) => string): Attack => ({
  name,
  make: (means) => draft(means, { path: change(pathOf(means), means) }),
});

export const ADDRESS_ATTACKS: readonly Attack[] = [
  ...Object.entries(ID_VALUES).map(([name, id]) => ({
    name: `id: ${name}`,
    fits: hasId,
    make: (means: AttackContext) => draft(means, { path: pathWith(means, id) }),
  })),
  {
    name: 'id: unknown',
    fits: hasId,
    make: (means) => draft(means, { path: pathWith(means, uuid(means.random)) }),
  },
  { name: 'id: real', fits: hasId, make: (means) => draft(means) },

  ...Object.entries(TEXT_VALUES).map(([name, text]) =>
    parameter(`query: text, ${name}`, () => encoded(text).slice(0, 6_000)),
  ),
  parameter('query: number', ({ random }) => encoded(random.oneOf(NUMBER_VALUES))),
  parameter('query: date', ({ random }) => encoded(random.oneOf(DATE_VALUES))),
  parameter('query: broken percent', ({ random }) =>
    random.oneOf(['%', '%zz', '%f', '%ff', '%00', '%c0%80', '%u0041', '%%']),
  ),
  parameter('query: plus and space', ({ random }) => random.oneOf(['+', '%20', '%2B', '1+', '+1', '1%00'])),
  shaped('query: twice', (name, value) => `${name}=${value}&${name}=${value}`),
  shaped('query: a hundred times', (name, value) => Array(100).fill(`${name}=${value}`).join('&')),
  shaped('query: list', (name, value) => `${name}[]=${value}`),
  shaped('query: indexed', (name, value) => `${name}[0]=${value}&${name}[999999999]=${value}`),
  shaped('query: object', (name, value) => `${name}[$ne]=${value}`),
  shaped('query: prototype', (name, value) => `${name}[__proto__][isAdmin]=${value}&__proto__[x]=1`),
  shaped('query: without a value', (name) => name),
  shaped('query: nothing but its sign', (name) => `${name}=&=&&=x`),
  shaped(
    'query: encoded name',
    (name, value) => `%${name.charCodeAt(0).toString(16)}${name.slice(1)}=${value}`,
  ),
  {
    name: 'query: far page',
    fits: ({ inQuery }) => inQuery.some(({ name }) => name === 'page'),
    make: (means) => {
      const page = means.random.oneOf(['100000000', '99999999', '2147483648', '1000001', '100000001']);
      return draft(means, { query: `page=${page}&limit=${means.random.oneOf([100, 1, 99])}` });
    },
  },
  anyQuery('query: unknown', ({ random }) => `${CANARY}=${random.oneOf(['1', '', '%27', CANARY])}&_=1`),
  anyQuery('query: prototype names', () => '__proto__=1&constructor=2&hasOwnProperty=3&toString=4&length=5'),
  anyQuery('query: many', () => Array.from({ length: 1_000 }, (_, i) => `k${i}=${i}`).join('&')),
  anyQuery('query: long', () => `x=${'y'.repeat(8_000)}`),
  anyQuery('query: signs', ({ random }) =>
    random.oneOf(['?', '??', '&&&', '=', '&=&', '#', ';', '%26', '?a?b?']),
  ),

  path('path: line end', (given) => `${given}%0d%0aX-Injected:%20${CANARY}`),
  path('path: null byte', (given) => `${given}%00.json`),
  path(
    'path: more of it',
    (given, { random }) => `${given}/${random.oneOf([CANARY, '..', '.', '%2e', 'x/y/z', '%2f'])}`,
  ),
  path(
    'path: traversal',
    (given, { random }) => random.oneOf(['/..', '/api/..', '/%2e%2e', '/api/x/..']) + given,
  ),
  path('path: doubled slashes', (given) => given.replaceAll('/', '//')),
  path('path: slash at its end', (given) => `${given}/`),
  path('path: semicolon', (given) => `${given};${CANARY}=1`),
  path(
    'path: extension',
    (given, { random }) => given + random.oneOf(['.json', '.php', '.map', '~', '.bak']),
  ),
  path('path: upper case', (given) => given.toUpperCase()),
  path('path: backslashes', (given) => given.replaceAll('/', '\\')),
  path('path: encoded letter', (given) => given.replace('api', '%61pi')),
  path(
    'path: broken percent',
    (given, { random }) => given + random.oneOf(['%', '%z', '%ff', '%c0%ae', '%ed%a0%80']),
  ),
  path('path: raw bytes', (given) => `${given}\xff\xfe`),
  path('path: long', (given) => `${given}/${'x'.repeat(7_000)}`),
  path('path: many segments', (given) => given + '/x'.repeat(3_000)),
  path('path: of another address', (given) => `http://127.0.0.1:1${given}`),
  path('path: colon', (given) => given.replace(/[^/]+$/, ':id')),
];
