import { gzipSync, brotliCompressSync, deflateSync } from 'node:zlib';
import { draft, takesBody, type Attack, type RequestParts, type AttackContext } from './attack.js';
import { validBody, type Field, type Operation } from './operations.js';
import { CANARY, DATE_VALUES, NUMBER_VALUES, TEXT_VALUES } from './values.js';

const hasFields = ({ body }: Operation) => body !== undefined && body.length > 0;

const WRONG_TYPES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  '',
  'x',
  [],
  [[]],
  [null],
  ['a', 'b'],
  {},
  { a: 1 },
  { length: 1 },
  { $ne: null },
  { $gt: '' },
  { toJSON: 'x' },
  { then: 'x' },
  [{ id: 1 }],
  { 0: 'a', length: 1 },
];

/** A valid body with one field replaced by this JSON; `null` omits the field. */
function withField({ operation, random }: AttackContext, json: string | null): string {
  const fields = operation.body as readonly Field[];
  const { name } = random.oneOf(fields);
  const { [name]: _replaced, ...otherFields } = validBody(fields, random);
  const members = Object.entries(otherFields).map(
    ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`,
  );
  if (json !== null) members.push(`${JSON.stringify(name)}:${json}`);
  return `{${members.join()}}`;
}

const oneField = (name: string, json: (context: AttackContext) => string | null): Attack => ({
  name,
  fits: hasFields,
  make: (context) => draft(context, { body: withField(context, json(context)) }),
});

/** An attack that replaces the whole body. */
const wholeBody = (
  name: string,
  body: (context: AttackContext) => string | Buffer | undefined,
  headers: (context: AttackContext) => [string, string][] = () => [],
): Attack => ({
  name,
  fits: takesBody,
  make: (context): RequestParts => draft(context, { body: body(context), headers: headers(context) }),
});

const validBodyText = ({ operation, random }: AttackContext) =>
  JSON.stringify(validBody(operation.body ?? [], random));

/** A valid body with `first` inserted as its first member. */
const withFirstKey = (context: AttackContext, first: string) =>
  validBodyText(context).replace(/^\{(.*)$/s, (_, remaining: string) =>
    remaining === '}' ? `{${first}}` : `{${first},${remaining}`,
  );

const PROTOTYPE_KEYS = [
  '"__proto__":{"isAdmin":true}',
  '"\\u005f_proto__":{"isAdmin":true}',
  '"constructor":{"prototype":{"isAdmin":true}}',
  '"prototype":{}',
  '"hasOwnProperty":1',
  '"toString":"x"',
  '"valueOf":null',
];

const EXTRA_FIELDS = [
  '"isAdmin":true',
  '"role":"admin"',
  '"balance":"1000000.00"',
  '"userId":"x"',
  '"$where":"1"',
  '"":1',
  '"id; drop table":1',
  `"${'k'.repeat(10_000)}":1`,
  '"\u202e":1',
  '"a.b":1',
  '"a[b]":1',
  '"status":"completed"',
];

const BROKEN_JSON: readonly (string | Buffer)[] = [
  '{',
  '}',
  '{"a":',
  '{"a":1,}',
  "{'a':1}",
  '{a:1}',
  '{"a":1}{"b":2}',
  '{"a":NaN}',
  '{"a":Infinity}',
  '[1,]',
  '{"a":0x10}',
  '{"a":01}',
  '{"a":+1}',
  '{"a":.5}',
  '{"a":"\\x41"}',
  '{"a":"\\u12"}',
  '{"a":"\t"}',
  '{/**/}',
  '//',
  '{"a":"\\ud800"}',
  '{"\\udfff":1}',
  '{"a":"\\u0000"}',
  '\ufeff{}',
  'null x',
  'undefined',
  '-',
  '"',
  `"${CANARY}`,
  Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from('\ufeff{"a":1}', 'utf16le'),
  Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]), // a surrogate as UTF-8
  Buffer.from([0x7b, 0x22, 0xc0, 0x80, 0x22, 0x3a, 0x31, 0x7d]), // an overlong NUL
  Buffer.from('{"a":1}\0'),
  Buffer.alloc(1_000),
];

const CONTENT_TYPES = [
  'application/x-www-form-urlencoded',
  'text/plain',
  'text/xml',
  'application/xml',
  'text/html',
  'application/yaml',
  'multipart/form-data',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  'application/cbor',
  '*/*',
  'application/json; charset=utf-7',
  'application/json; charset=utf-16',
  'application/json; charset=latin1',
  '',
  'application/jsonx',
  'application/json-seq',
  'application/vnd.api+json',
  'json',
  'application/json, text/plain',
  'application/json;'.repeat(50),
  `application/json; x=${'y'.repeat(4_000)}`,
  'application/json\t;charset=utf-8 x',
];

const compressionBomb = Buffer.from(' '.repeat(4_000_000) + '{}');
const COMPRESSED: readonly [string, Buffer][] = [
  ['gzip', gzipSync(compressionBomb)], // 4 MB in 4 kB
  ['deflate', deflateSync(compressionBomb)],
  ['br', brotliCompressSync(compressionBomb)],
  ['gzip, gzip', gzipSync(gzipSync(compressionBomb))],
  ['gzip', Buffer.from('not compressed at all')],
  ['identity, gzip', Buffer.from('{}')],
  ['zstd', Buffer.from('{}')],
  ['x', Buffer.from('{}')],
];

export const BODY_ATTACKS: readonly Attack[] = [
  oneField('body: wrong type', ({ random }) => JSON.stringify(random.oneOf(WRONG_TYPES))),
  oneField('body: field missing', () => null),
  ...Object.entries(TEXT_VALUES).map(([name, text]) =>
    oneField(`body: text, ${name}`, () => JSON.stringify(text)),
  ),
  oneField('body: number', ({ random }) => random.oneOf(NUMBER_VALUES.filter(isJson))),
  oneField('body: number as text', ({ random }) => JSON.stringify(random.oneOf(NUMBER_VALUES))),
  oneField('body: date', ({ random }) => JSON.stringify(random.oneOf(DATE_VALUES))),
  oneField('body: huge text', () => JSON.stringify('x'.repeat(90_000))),
  oneField('body: huge text of wide characters', () => JSON.stringify('😀'.repeat(22_000))),
  oneField('body: huge number', () => '9'.repeat(90_000)),
  oneField('body: long list', () => `[${'"x",'.repeat(20_000)}"x"]`),
  oneField('body: many fields', () => `{${Array.from({ length: 8_000 }, (_, i) => `"k${i}":1`).join()}}`),
  oneField('body: nested to the permitted depth', () => '['.repeat(30) + ']'.repeat(30)),
  {
    name: 'body: null for optional fields',
    fits: ({ body }) => body?.some(({ required }) => !required) ?? false,
    make: (context) => {
      const optional = (context.operation.body ?? []).filter(({ required }) => !required);
      const nulls = Object.fromEntries(optional.map(({ name }) => [name, null]));
      return draft(context, {
        body: { ...validBody(context.operation.body ?? [], context.random), ...nulls },
      });
    },
  },
  wholeBody('body: prototype key', (context) => withFirstKey(context, context.random.oneOf(PROTOTYPE_KEYS))),
  wholeBody('body: unknown field', (context) => withFirstKey(context, context.random.oneOf(EXTRA_FIELDS))),
  wholeBody('body: key twice', (context) => {
    const name = context.operation.body?.[0]?.name ?? 'a';
    return `{"${name}":"1.00",${validBodyText(context).slice(1, -1) || '"b":1'},"${name}":"2.00"}`;
  }),
  wholeBody('body: nested too deeply', ({ random }) => {
    const depth = random.oneOf([33, 2_000, 49_000]);
    return random.next() < 0.5 ? '['.repeat(depth) + ']'.repeat(depth) : '{"a":'.repeat(depth / 4) + '1';
  }),
  wholeBody('body: not an object', ({ random }) =>
    random.oneOf(['[]', '"x"', '7', 'null', 'true', '""', '[{}]', ' ', '[[]]', '1e400']),
  ),
  wholeBody('body: broken JSON', ({ random }) => random.oneOf(BROKEN_JSON)),
  wholeBody(
    'body: above the limit',
    ({ random }) => `{"a":"${'x'.repeat(random.oneOf([100_000, 150_000, 400_000]))}"}`,
  ),
  wholeBody('body: other content type', validBodyText, ({ random }) => [
    ['content-type', random.oneOf(CONTENT_TYPES)],
  ]),
  {
    name: 'body: compressed',
    fits: takesBody,
    make: (context) => {
      const [encoding, body] = context.random.oneOf(COMPRESSED);
      return draft(context, { body, headers: [['content-encoding', encoding]] });
    },
  },
  {
    name: 'body: on a GET request',
    fits: (operation) => !takesBody(operation),
    make: (context) => draft(context, { body: context.random.oneOf(['{}', '{', '\0', 'x'.repeat(200_000)]) }),
  },
];

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
