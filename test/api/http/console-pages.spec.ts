import { gunzipSync, brotliDecompressSync } from 'node:zlib';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { IncomingHttpHeaders } from 'node:http';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';

const POLICY =
  "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;font-src 'self';connect-src 'self';" +
  "base-uri 'none';form-action 'none';frame-ancestors 'none';require-trusted-types-for 'script';trusted-types 'none'";

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform?.stop());

interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

/** Sends the path as it is and returns the body as it was sent: `fetch` would normalise the one and decode the other. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET', baseUrl = platform.baseUrl) {
  const { hostname, port } = new URL(baseUrl);
  return new Promise<Reply>((resolve, reject) => {
    request({ hostname, port, path, method, headers }, (response) => {
      buffer(response)
        .then((bytes) => resolve({ status: response.statusCode as number, headers: response.headers, bytes }))
        .catch(reject);
    })
      .on('error', reject)
      .end();
  });
}

const assetOf = async (page: string) => {
  const html = (await get(page)).bytes.toString();
  return /src="(\/console\/assets\/[\w.-]+\.js)"/.exec(html)?.[1] as string;
};

describe('The pages of the console', () => {
  it.each([
    '/',
    '/console',
    '/console/',
    '/console/withdrawals/1',
    '/app',
    '/app/history',
    '/CONSOLE/Withdrawals',
  ])('are answered at %s as HTML that may load only files of this service [SEC-620]', async (path) => {
    const { status, headers, bytes } = await get(path);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
    });
    expect(bytes.toString()).toContain('<!doctype html>');
    expect(bytes.toString()).not.toMatch(/<style|<script(?![^>]* src="\/console\/)|\son\w+=|https?:\/\//i);
  });

  it('have assets that browsers keep for ever, in the coding that the client prefers', async () => {
    const path = await assetOf('/console');
    const plain = await get(path);
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': POLICY,
      vary: 'Accept-Encoding',
    });
    const gzip = await get(path, { 'accept-encoding': 'gzip' });
    const br = await get(path, { 'accept-encoding': 'gzip, deflate, br' });
    expect([gzip.headers['content-encoding'], br.headers['content-encoding']]).toEqual(['gzip', 'br']);
    expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
    expect(brotliDecompressSync(br.bytes).equals(plain.bytes)).toBe(true);
    expect(new Set([plain, gzip, br].map(({ headers }) => headers.etag)).size).toBe(3);
  });

  it.each(['/console', '/console/favicon.svg'])(
    'are answered 304 at %s if the client has them',
    async (path) => {
      const first = await get(path);
      const again = await get(path, { 'if-none-match': first.headers.etag as string });
      expect([again.status, again.bytes.length]).toEqual([304, 0]);
      expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
    },
  );

  it('answer HEAD without a body', async () => {
    const { status, bytes, headers } = await get('/console', {}, 'HEAD');
    expect([status, bytes.length]).toEqual([200, 0]);
    expect(Number(headers['content-length'])).toBeGreaterThan(0);
  });

  it.each([
    '/console/assets/console-00000000.js',
    '/CONSOLE/ASSETS/console-00000000.js',
    '/console/console.html',
    '/console/../package.json',
    '/console/%2e%2e/package.json',
    '/console/assets/..%2f..%2fbuild-info.json',
    '/favicon.ico',
    '/consoles',
  ])('do not include %s, which is answered 404 in the envelope of the API', async (path) => {
    const { status, headers, bytes } = await get(path);
    expect(status).toBe(404);
    expect(headers['content-security-policy']).toBe(
      "default-src 'none';base-uri 'none';frame-ancestors 'none'",
    );
    expect(JSON.parse(bytes.toString())).toMatchObject({ success: false, error: { code: 'NOT_FOUND' } });
  });

  it('answer no other method, and leave the routes of the API alone', async () => {
    expect((await get('/console', {}, 'POST')).status).toBe(404);
    expect((await get('/api/console')).status).toBe(404);
    expect((await get('/api/ping')).headers['content-security-policy']).not.toBe(POLICY);
  });

  it('say in the sandbox alone that sample accounts can sign in, and are gone with CONSOLE=off', async () => {
    expect((await get('/console')).bytes.toString()).toContain('<html data-sandbox');
    const withoutSandbox = await startReplica(platform, { SANDBOX_URL: undefined });
    expect((await get('/console', {}, 'GET', withoutSandbox)).bytes.toString()).not.toContain('data-sandbox');
    const withoutConsole = await startReplica(platform, { CONSOLE: 'off' });
    for (const path of ['/', '/console', '/app', '/console/favicon.svg'])
      expect((await get(path, {}, 'GET', withoutConsole)).status).toBe(404);
  });
});
