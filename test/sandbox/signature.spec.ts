import { createHmac } from 'node:crypto';
import { sign, signatureMatches, signedHeaders } from '../../src/sandbox/signature.js';

const SECRET = Buffer.from('a secret of the provider').toString('base64');
const REQUEST = {
  timestamp: '1700000000000',
  recvWindow: '5000',
  method: 'post',
  path: '/deposits/addresses?x=1',
  body: '{"amount":500.00}',
};

describe('The signature of the deposit provider', () => {
  it('is HMAC-SHA512 over timestamp, window, method in capitals, path with query, and body, in base64', () => {
    const text = '1700000000000' + '5000' + 'POST' + '/deposits/addresses?x=1' + '{"amount":500.00}';
    const expected = createHmac('sha512', 'a secret of the provider').update(text).digest('base64');
    expect(sign(SECRET, REQUEST)).toBe(expected);
    // Computed with openssl dgst -sha512 -hmac.
    expect(sign(SECRET, REQUEST)).toBe(
      'JRT/1B7nQuAmFNsxscesGLygvf+s/7lF1RJjh2jEQ6IC2UvQa1ftZJFkhzRq0MLZCTNj7MU5eNkQ5uHK9+lwfQ==',
    );
  });

  it('changes with every part of the request', () => {
    const signature = sign(SECRET, REQUEST);
    expect(signatureMatches(SECRET, REQUEST, signature)).toBe(true);
    for (const part of Object.keys(REQUEST) as (keyof typeof REQUEST)[]) {
      expect(signatureMatches(SECRET, { ...REQUEST, [part]: `${REQUEST[part]}1` }, signature)).toBe(false);
    }
    expect(signatureMatches(SECRET, REQUEST, '')).toBe(false);
  });

  it('is sent in headers together with key, time and window', () => {
    const request = { method: 'GET', url: 'http://localhost:1/deposits/list?limit=2', body: '' };
    const before = Date.now();
    const headers = signedHeaders({ key: 'the-key', secret: SECRET }, request);
    const timestamp = headers['X-Processing-Timestamp'] ?? '';
    expect(headers['X-Processing-Key']).toBe('the-key');
    expect(headers['X-Processing-RecvWindow']).toBe('5000');
    expect(Number(timestamp)).toBeGreaterThanOrEqual(before);
    expect(Number(timestamp)).toBeLessThanOrEqual(Date.now());
    expect(headers['X-Processing-Signature']).toBe(
      sign(SECRET, {
        timestamp,
        recvWindow: '5000',
        method: 'GET',
        path: '/deposits/list?limit=2',
        body: '',
      }),
    );
  });
});
