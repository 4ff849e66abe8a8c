import { draft, type Attack, type AttackContext } from './attack.js';
import { CANARY } from './values.js';

const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const CLAIMS = {
  sub: '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11',
  type: 'admin',
  exp: 4_102_444_800,
  iat: 1,
  jti: 'x',
};

/** A token with another header or claims and its original signature. */
function forged({ token }: AttackContext, head: object, claims: object = {}): string {
  const [, body = base64(CLAIMS), signature = ''] = (token ?? '').split('.');
  const originalClaims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object;
  return `Bearer ${base64(head)}.${base64({ ...originalClaims, ...claims })}.${signature}`;
}

const AUTHORIZATIONS: readonly ((context: AttackContext) => string)[] = [
  () => 'Bearer',
  () => 'Bearer ',
  () => `Bearer ${CANARY}`,
  () => 'Basic YWRtaW46YWRtaW4=',
  () => 'Digest username="admin"',
  () => 'Bearer a.b.c',
  () => 'Bearer ..',
  () => `Bearer ${'x'.repeat(7_000)}`,
  () => `Bearer ${base64({ alg: 'none' })}.${base64(CLAIMS)}.`,
  () => `Bearer ${base64({ alg: 'HS256' })}.${base64(CLAIMS)}.${CANARY}`,
  () => `Bearer ${base64({ alg: 'HS256' })}.${Buffer.from('null').toString('base64url')}.x`,
  () => `Bearer ${base64({ alg: 'HS256' })}.${Buffer.from('{').toString('base64url')}.x`,
  (context) => forged(context, { alg: 'none' }),
  (context) => forged(context, { alg: 'HS256', kid: '../../dev/null' }),
  (context) => forged(context, { alg: 'HS256', jwk: {}, jku: 'http://127.0.0.1:9/' }),
  (context) => forged(context, { alg: 'HS256', crit: ['exp'] }),
  (context) => forged(context, { alg: 'HS256' }, { exp: undefined }),
  (context) => forged(context, { alg: 'HS256' }, { exp: 1e308 }),
  (context) => forged(context, { alg: 'HS256' }, { type: 'admin' }),
  ({ token }) => `Bearer ${token ?? 'x'}, Bearer ${token ?? 'x'}`,
  ({ token }) => `Bearer ${token ?? 'x'}x`,
  ({ token }) => `bearer  ${token ?? 'x'}`,
  () => 'Bearer \xff\xfe',
];

const header = (name: string, values: readonly string[]): Attack => ({
  name: `header: ${name}`,
  make: (context) => draft(context, { headers: [[name, context.random.oneOf(values)]] }),
});

const ATTACKS_ON_ALL_ROUTES: readonly Attack[] = [
  header('traceparent', [
    '00-00000000000000000000000000000000-0000000000000000-00',
    'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-${CANARY}`,
    '00-4BF92F3577B34DA6A3CE929D0E0E4736-00F067AA0BA902B7-01',
    `00-${"'; drop table x; --".padEnd(32)}-00f067aa0ba902b7-01`,
    CANARY,
    '00-',
    'x'.repeat(4_000),
  ]),
  header('tracestate', [CANARY, 'a=b,'.repeat(1_000)]),
  header('baggage', [`${CANARY}=1`, 'a=b,'.repeat(1_000)]),
  header('accept', [
    'text/html',
    'text/csv',
    'application/xml',
    'text/csv;q=x',
    '*',
    '',
    ',',
    'a/b;'.repeat(500),
    '../..',
  ]),
  header('accept-encoding', ['gzip', '*;q=0', 'x'.repeat(2_000), 'gzip;q=NaN']),
  header('accept-language', ['../../etc/passwd', 'x'.repeat(4_000), '*', '\xff']),
  header('origin', ['null', `http://${CANARY}.example`, 'file://', '*', 'http://127.0.0.1\xff']),
  header('referer', [`http://${CANARY}/`, 'javascript:alert(1)']),
  header('host', [`${CANARY}.example`, '127.0.0.1:99999', '', 'a b', '[::1', 'a/b', '@', 'x'.repeat(3_000)]),
  header('x-forwarded-for', [
    '1.2.3.4',
    '::1, 127.0.0.1',
    CANARY,
    `', 1); --`,
    '1.2.3.4,'.repeat(400),
    'unknown',
  ]),
  header('x-forwarded-host', [`${CANARY}.example`]),
  header('x-forwarded-proto', [CANARY, 'https']),
  header('forwarded', [`for=${CANARY};proto=https;host=x`, 'for="[::1]"']),
  header('x-real-ip', ['127.0.0.1', CANARY]),
  header('x-original-url', ['/api/admin/users', `/${CANARY}`]),
  header('x-rewrite-url', ['/api/admin/users']),
  header('x-http-method-override', ['DELETE', 'PUT', 'GET', CANARY]),
  header('x-method-override', ['DELETE', 'TRACE']),
  header('if-none-match', ['*', `"${CANARY}"`, 'W/"x"', '"'.repeat(2_000)]),
  header('if-modified-since', ['Thu, 31 Dec 2099 00:00:00 GMT', CANARY]),
  header('range', [
    'bytes=0-0',
    'bytes=0-,0-,0-',
    'bytes=-1',
    'bytes=99999999999999999999-',
    `lines=${CANARY}`,
  ]),
  header('expect', ['100-continue', CANARY]),
  header('te', ['trailers', CANARY]),
  header('upgrade', ['websocket', 'h2c', CANARY]),
  header('cookie', [
    `user_session=${CANARY}; admin_session=${CANARY}`,
    '__proto__=1; constructor=2',
    '%=%zz; a=%ff',
    `a=${'b'.repeat(7_000)}`,
    ';'.repeat(3_000),
    'session=\xff',
  ]),
  header('x-csrf-token', [CANARY, '', 'x'.repeat(4_000), '__proto__']),
  header('user-agent', [
    '',
    `() { :;}; /bin/${CANARY}`,
    'x'.repeat(5_000),
    '\x80\x81',
    '=1+1',
    '${jndi:ldap://127.0.0.1/a}',
  ]),
  header('__proto__', ['1', CANARY]),
  {
    name: 'header: long',
    make: (context) => draft(context, { headers: [['x-anything', 'x'.repeat(12_000)]] }),
  },
  header('x-processing-timestamp', [CANARY, '0', '1e308', '\xff']),
];

const IDEMPOTENCY_KEYS = [
  '',
  ' ',
  'a b',
  '\t',
  'é',
  '\xff',
  'x'.repeat(255),
  'x'.repeat(256),
  'x'.repeat(6_000),
  '__proto__',
  "'; --",
  'a, b',
  'constructor',
  '%00',
  '${7*7}',
  '0',
  '../x',
];

export const HEADER_ATTACKS: readonly Attack[] = [
  ...ATTACKS_ON_ALL_ROUTES,
  {
    name: 'header: idempotency-key',
    fits: ({ isKeyed }) => isKeyed,
    make: (context) =>
      draft(context, { headers: [['idempotency-key', context.random.oneOf(IDEMPOTENCY_KEYS)]] }),
  },
  {
    name: 'header: idempotency-key twice',
    fits: ({ isKeyed }) => isKeyed,
    make: (context) =>
      draft(context, {
        headers: [
          ['idempotency-key', 'a'],
          ['idempotency-key', 'b'],
        ],
      }),
  },
  {
    name: 'header: authorization',
    make: (context) =>
      draft(context, { headers: [['authorization', context.random.oneOf(AUTHORIZATIONS)(context)]] }),
  },
  {
    name: 'header: many',
    make: (context) =>
      draft(context, { headers: Array.from({ length: 500 }, (_, i): [string, string] => [`x-h-${i}`, 'v']) }),
  },
  {
    name: 'method: undocumented',
    make: (context) => {
      const methods = [
        'TRACE',
        'PROPFIND',
        'OPTIONS',
        'HEAD',
        'PATCH',
        'SEARCH',
        'LINK',
        'PURGE',
        'MKCOL',
        'REPORT',
      ];
      return { ...draft(context, { body: undefined }), method: context.random.oneOf(methods) };
    },
  },
  {
    name: 'method: of another route',
    make: (context) => ({
      ...draft(context),
      method: context.random.oneOf(['POST', 'PUT', 'PATCH', 'OPTIONS']),
    }),
  },
];
