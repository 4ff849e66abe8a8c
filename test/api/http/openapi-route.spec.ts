import { get, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';

const MAX_BYTES = 900_000;
const MAX_COMPRESSED_BYTES = 100_000;
const DECODERS: Record<string, (body: Buffer) => Buffer> = {
  identity: (body) => body,
  br: brotliDecompressSync,
  gzip: gunzipSync,
};

describe('GET /api/openapi.json', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform?.stop());

  /** Sends the headers unchanged and does not decompress the body, unlike `fetch`. */
  const request = (
    headers: Record<string, string> = {},
    { method = 'GET', url = platform.baseUrl } = {},
  ): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }> =>
    new Promise((resolve, reject) => {
      get(`${url}/api/openapi.json`, { method, headers }, (response) => {
        const finished = buffer(response).then((body) => ({
          status: response.statusCode as number,
          headers: response.headers,
          body,
        }));
        finished.then(resolve, reject);
      }).on('error', reject);
    });

  const identity = async () => (await request()).body;

  it.each([
    [undefined, 'identity'],
    ['identity', 'identity'],
    ['deflate', 'identity'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'], // as browsers send it
    ['br', 'br'],
    ['*', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['gzip;q=0.5, br', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['gzip;q=0, br;q=0', 'identity'],
    ['identity;q=0, gzip;q=0.1', 'gzip'],
    ['xbr, gzip', 'gzip'],
  ])('is sent to Accept-Encoding %s with the coding %s', async (accepted, coding) => {
    const { status, headers, body } = await request(accepted ? { 'accept-encoding': accepted } : {});
    expect([status, headers['content-encoding'] ?? 'identity']).toEqual([200, coding]);
    expect(headers['content-length']).toBe(String(body.length));
    expect(headers.vary).toMatch(/\bAccept-Encoding\b/);
    expect(DECODERS[coding]!(body).equals(await identity())).toBe(true);
    expect(body.length).toBeLessThanOrEqual(coding === 'identity' ? MAX_BYTES : MAX_COMPRESSED_BYTES);
  });

  it('has a strong ETag for each coding and is answered 304 to a client that has it', async () => {
    const codings = ['identity', 'gzip', 'br'];
    const replies = await Promise.all(codings.map((coding) => request({ 'accept-encoding': coding })));
    const etags = replies.map(({ headers }) => headers.etag as string);
    expect(new Set(etags).size).toBe(codings.length);
    for (const [index, coding] of codings.entries()) {
      const etag = etags[index] as string;
      expect(etag).toMatch(/^"[\w-]+"$/);
      for (const known of [etag, `"other", W/${etag}`, '*']) {
        const reply = await request({ 'accept-encoding': coding, 'if-none-match': known });
        expect([known, reply.status, reply.body.length]).toEqual([known, 304, 0]);
        expect(reply.headers).toMatchObject({ etag, 'cache-control': 'public, max-age=300' });
        expect(reply.headers.vary).toMatch(/\bAccept-Encoding\b/);
      }
      const changed = await request({ 'accept-encoding': coding, 'if-none-match': '"other"' });
      expect(changed.status).toBe(200);
    }
  });

  it('answers HEAD with the headers of GET and no body', async () => {
    for (const coding of ['identity', 'gzip', 'br']) {
      const accepted = { 'accept-encoding': coding };
      const [whole, head] = [await request(accepted), await request(accepted, { method: 'HEAD' })];
      expect([head.status, head.body.length]).toEqual([200, 0]);
      for (const name of ['content-length', 'content-type', 'content-encoding', 'etag', 'cache-control'])
        expect([name, head.headers[name]]).toEqual([name, whole.headers[name]]);
      const known = { ...accepted, 'if-none-match': head.headers.etag as string };
      expect((await request(known, { method: 'HEAD' })).status).toBe(304);
    }
  });

  it('counts in the rate class public, whose refusal is not cached [SEC-455]', async () => {
    const url = await startReplica(platform, { RATE_LIMIT_PUBLIC: 2 });
    const first = await request({}, { url });
    expect(first.headers).toMatchObject({ 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1' });
    const etag = first.headers.etag as string;
    expect((await request({ 'if-none-match': etag }, { url })).status).toBe(304);
    const refused = await request({ 'if-none-match': etag }, { url });
    expect(refused.status).toBe(429);
    expect(refused.headers).toMatchObject({ 'cache-control': 'no-store', 'x-ratelimit-remaining': '0' });
    expect(JSON.parse(refused.body.toString())).toMatchObject({ error: { code: 'RATE_LIMIT_EXCEEDED' } });
  });
});
