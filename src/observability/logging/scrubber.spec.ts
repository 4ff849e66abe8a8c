import { growth } from '../../../test/verification/load/growth.js';
import { QueryFailedError } from 'typeorm';
import { Scrubber } from './scrubber.js';

const scrubber = new Scrubber();

// Each secret contains "canary" as text or in base64, or the digits "caca".
const SECRETS = [
  'Bearer abcdef.canary',
  'Basic Y2FuYXJ5OmNhbmFyeQ==',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlY2FuYXJ5',
  'whsec_canaryFuZGJveC1jdXN0b2R5',
  'postgres://platform:canary@db.internal/platform',
  'redis://:canary@cache.internal',
  'https://rpc.example.net/v3/canary',
  'https://rpc.example.net?key=canary',
  'canary.example+tag@example.org',
  'password=canary',
  '"refreshToken":"canary"',
  `{ secret: 'canary' }`,
  'X-Processing-Signature: canary',
  'Cookie: session=canary; other=1',
  'Idempotency-Key: canary',
  'api_key=canary',
  `0x${'ab'.repeat(32)}${'ca'.repeat(33)}`,
  `https://host.example/0x${'ca'.repeat(80)}/canary`,
  `${'canary'.repeat(20)}@example.org`,
  'Zk9vd1p1bUZxdk5ZVmZzUWNhbmFyeTEyMzQ1Njc4OTA-abc',
  'sk_canary',
  `sk_${'canary-'.repeat(7)}`,
  `/api/user/balance?key=sk_${'canary_'.repeat(7)}&page=1`,
  `%22sk_${'canary'.repeat(8)}%22`,
];

it.each(SECRETS)('scrubText removes the secret from "%s"', (secret) => {
  const line = scrubber.scrubText(`before ${secret} between ${secret} after`);
  expect(line).not.toMatch(/canary|caca|Y2FuYXJ5|NhbmFyeT/);
  expect(line).toMatch(/^before .* between .* after$/);
});

it.each([
  'GET /api/user/investments/:id: INTERNAL_SERVER_ERROR after 12.5 ms',
  `the hash 0x${'ab'.repeat(32)} of 0x70997970C51812dc3A010C7d01b50e0d17dc79C8`,
  'the withdrawal 0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11 was taken at 2026-01-31T12:00:00.000Z',
  'duplicate key value violates unique constraint "ledger_account_balance_not_negative"',
  'the task_runner of disk_usage',
  'at Ledger.post (file:///app/dist/modules/ledger/ledger.service.js:21:14)',
])('scrubText keeps "%s"', (line) => {
  expect(scrubber.scrubText(line)).toBe(line);
});

it.each([
  ['a signature', (size: number) => `0x${'ab'.repeat(size)}`],
  ['a word', (size: number) => 'x'.repeat(size)],
  ['the beginnings of tokens', (size: number) => 'eyJ'.repeat(size)],
  ['secret words', (size: number) => 'token-'.repeat(size)],
  ['the beginnings of API keys', (size: number) => 'sk_a.'.repeat(size)],
])('scrubText takes time in proportion to the length of a text with %s', (_, text) => {
  const scrub = (size: number) => scrubber.scrubText(`refused: ${text(size)} and ${text(size)}`);
  expect(growth(scrub, 10_000, 40)).toBeLessThan(800); // linear time gives 40, quadratic time 1,600
});

it.each([
  ['a word without an e-mail address', (size: number) => 'x'.repeat(size)],
  ['beginnings of e-mail addresses', (size: number) => 'a.'.repeat(size / 2)],
  ['beginnings of tokens', (size: number) => 'eyJ'.repeat(size / 3)],
  ['secret words', (size: number) => 'token-'.repeat(size / 6)],
  ['quotation marks that are not closed', (size: number) => 'token="a '.repeat(size / 9)],
])(
  'scrubText takes time in proportion to the length of a text that is not cut and contains %s',
  (_, text) => {
    const scrub = (size: number) => scrubber.scrubText(text(size));
    expect(growth(scrub, 780, 10)).toBeLessThan(50); // linear time gives 10, quadratic time 100
  },
);

it('scrubText cuts a long text between two words', () => {
  // The limit of 8,000 characters is within the e-mail address, which begins after 1,599 × 5 = 7,995.
  const words = 'word '.repeat(1599);
  expect(scrubber.scrubText(`${words}canary@example.org and more`)).toBe(`${words}[shortened]`);
});

it('scrubText removes a quoted secret up to the end of a text without the closing quotation mark', () => {
  expect(scrubber.scrubText('before password="correct canary battery')).toBe('before password=[redacted]');
});

it('scrubValue scrubs nested fields and redacts fields with secret names [SEC-136]', () => {
  const fields = {
    list: [{ note: 'to ann@example.org' }],
    headers: { cookie: 'a=b', accept: '*/*' },
    database: { pwd: 'a', api_key: 'b', session: 'c' },
    count: 2,
  };
  expect(scrubber.scrubValue(fields)).toEqual({
    list: [{ note: 'to [redacted]' }],
    headers: { cookie: '[redacted]', accept: '*/*' },
    database: { pwd: '[redacted]', api_key: '[redacted]', session: '[redacted]' },
    count: 2,
  });
});

describe('scrubError', () => {
  const invalidValue = Object.assign(new Error('invalid input syntax for type uuid: "first\ncanary"'), {
    code: '22P02',
  });
  const uniqueViolation = Object.assign(new Error('violates unique constraint "session_key"'), {
    code: '23505',
  });

  it.each([
    ['of a parser', () => parserError('{"password": canary}')],
    ['of a parser that quotes several lines', () => parserError('canary\n{x}')],
    ['of the database about a value', () => new QueryFailedError('select $1', ['canary'], invalidValue)],
  ])('removes the quoted input from an error %s', (_, error) => {
    expect(JSON.stringify(scrubber.scrubValue(error()))).not.toContain('canary');
  });

  it('keeps the names of constraints', () => {
    expect(scrubber.scrubError(new QueryFailedError('insert', [], uniqueViolation))).toMatchObject({
      message: 'violates unique constraint "session_key"',
    });
  });
});

function parserError(text: string): Error {
  try {
    return JSON.parse(text) as Error;
  } catch (error) {
    return error as Error;
  }
}
