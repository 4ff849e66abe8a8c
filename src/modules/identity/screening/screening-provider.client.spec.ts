import { createHmac } from 'node:crypto';
import { readAnswer, signatureOf } from './screening-provider.client.js';

const GOOD = { verdict: 'review', riskScore: 55.5, lists: ['EU-1'], reference: 'scr-1' };

describe('readAnswer', () => {
  it.each(['clear', 'review', 'blocked'])('reads the verdict %s and ignores unknown fields', (verdict) => {
    const answer = { ...GOOD, verdict };
    expect(readAnswer(JSON.stringify({ ...answer, note: 'ignored' }))).toEqual(answer);
  });

  it.each([
    ['text that is not JSON', 'OK'],
    ['an empty text', ''],
    ['null', 'null'],
    ['a list', '[]'],
    ...[
      { ...GOOD, verdict: 'CLEAR' },
      { ...GOOD, verdict: undefined },
      { ...GOOD, verdict: ['clear'] },
      { ...GOOD, riskScore: '5' },
      { ...GOOD, riskScore: -1 },
      { ...GOOD, riskScore: null },
      { ...GOOD, lists: undefined },
      { ...GOOD, lists: 'EU-1' },
      { ...GOOD, lists: [1] },
      { ...GOOD, reference: '' },
      { ...GOOD, reference: 7 },
      { ...GOOD, reference: 'x'.repeat(501) },
      { ...GOOD, reference: 'a\0b' },
    ].map((answer) => [JSON.stringify(answer).slice(0, 80), JSON.stringify(answer)]),
  ])('rejects the invalid answer %s', (_, text) => {
    expect(readAnswer(text as string)).toBeUndefined();
  });
});

it('signatureOf returns the HMAC-SHA256 of timestamp, full stop and body in hexadecimal', () => {
  const expected = createHmac('sha256', 'a secret').update('1700000000.{"a":1}').digest('hex');
  expect(signatureOf('a secret', '1700000000', '{"a":1}')).toBe(expected);
});
