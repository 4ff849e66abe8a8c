import { createHash } from 'node:crypto';
import { AppConfig } from '../../../src/config/app-config.js';
import { verifyCheckpoint, verifyConsistency } from '../../../client/verify.js';
import { LogReader, PROOFS } from '../../fixtures/log-reader.js';
import { consistencyPath, merkleTreeHash, readCheckpoint } from '../../fixtures/rfc9162.js';
import { sendRequest } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const PROOFS_LIMIT = '999999'; // differs from the limits of the other rate classes
const DEPOSITS = 260; // one leaf each: more than the 256 hashes of a full tile

describe('The transparency log', () => {
  let platform: TestPlatform;
  let log: LogReader;
  /** In the order of their sizes, from 0 on. */
  const checkpoints: string[] = [];

  beforeAll(async () => {
    platform = await startPlatform({
      settings: {
        LOG_SEAL_SECONDS: '3600', // no job seals or polls during the test
        DEPOSIT_POLL_SECONDS: '3600',
        RATE_LIMIT_PROOFS: PROOFS_LIMIT,
      },
    });
    log = new LogReader(platform);
    checkpoints.push(await log.checkpoint());
    await platform.given.user().withBalance('10.00');
    await log.seal();
    checkpoints.push(await log.checkpoint());
    await platform.given.user().withBalance('20.00');
    await log.seal();
    checkpoints.push(await log.checkpoint());
    for (let done = 0; done < DEPOSITS; done += 20)
      await Promise.all(Array.from({ length: 20 }, () => platform.given.user().withBalance('1.00')));
    await log.seal();
    checkpoints.push(await log.checkpoint());
  });
  afterAll(() => platform?.stop());

  const get = (path: string) => platform.as(null).get(`${PROOFS}/${path}`);

  it('has a signed checkpoint of size 0 on a new platform', async () => {
    const keys = await log.keys();
    const empty = createHash('sha256').digest('base64');
    expect(await verifyCheckpoint(checkpoints[0]!, keys)).toMatchObject({ size: 0, root: empty });
    expect(readCheckpoint(checkpoints[0]!, keys)).toMatchObject({ size: 0, signatures: 1 });
  });

  it('names its checkpoints and keys after the host of PUBLIC_URL', async () => {
    const { origin } = await verifyCheckpoint(checkpoints[1]!, await log.keys());
    expect(origin).toBe(`${new URL(platform.app.get(AppConfig).PUBLIC_URL).host}/ledger`);
    expect((await log.keys()).startsWith(`${origin}+`)).toBe(true);
  });

  it('answers checkpoint and keys as text, which clients may store for 5 and 60 seconds', async () => {
    for (const [path, seconds] of [
      ['checkpoint', 5],
      ['key', 60],
    ] as const) {
      const { headers } = await get(path);
      expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(headers.get('cache-control')).toBe(`public, max-age=${seconds}`);
    }
  });

  it('answers the keys as JSON Web Keys outside the envelope', async () => {
    const { body, headers } = await platform.as(null).get('/.well-known/jwks.json');
    // The text is `<origin>+<key id of 8 hex digits>+<base64 of a type byte and the public key>`.
    const [, encoded = ''] = (await log.keys()).trim().split(/\+.{8}\+/);
    const x = Buffer.from(encoded, 'base64').subarray(1).toString('base64url');
    const kid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
    expect(body).toEqual({ keys: [{ kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' }] });
    expect(headers.get('cache-control')).toBe('public, max-age=60');
  });

  it('lists its checkpoints with the newest first, and with `before` only smaller ones', async () => {
    const { data, headers, body } = await get('checkpoints?limit=100');
    expect(body).not.toHaveProperty('pagination');
    expect(headers.get('cache-control')).toBe('public, max-age=60');
    expect(data.map(({ checkpoint }: { checkpoint: string }) => checkpoint)).toEqual(
      expect.arrayContaining(checkpoints),
    );
    const sizes = data.map(({ size }: { size: number }) => size);
    expect(sizes).toEqual([...new Set<number>(sizes)].sort((a, b) => b - a));
    for (const { size, root, checkpoint } of data)
      expect(readCheckpoint(checkpoint, await log.keys())).toMatchObject({
        size,
        signatures: 1,
        root: Buffer.from(root, 'base64'),
      });
    const [newest, second] = sizes;
    expect((await get(`checkpoints?before=${newest}&limit=1`)).data).toMatchObject([{ size: second }]);
    expect((await get('checkpoints?before=0')).data).toEqual([]);
    expect((await get('checkpoints?limit=1')).data).toMatchObject([{ size: newest }]);
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'before=-1',
    'before=1.5',
    'before=9007199254740993',
    'before=',
  ])('refuses the list of checkpoints with %s', async (query) => {
    expect(await get(`checkpoints?${query}`)).toMatchObject({ status: 400, code: 'INVALID_PAGINATION' });
  });

  // The path of a tile is its level, its number and, of a partial tile, the number of its hashes: 1/000.p/1.
  it('answers tiles whose leaf hashes lead to the root of the checkpoint', async () => {
    const { size, root } = await log.readCheckpoint();
    const hashes = await log.leafHashes();
    expect(hashes).toHaveLength(size);
    expect(merkleTreeHash(hashes)).toEqual(root);
    expect(Buffer.from((await log.tile('1/000.p/1'))!)).toEqual(merkleTreeHash(hashes.slice(0, 256)));
  });

  it('lets clients store a full tile for a year, and a partial tile of any width for a minute', async () => {
    const full = await fetch(`${platform.baseUrl}${PROOFS}/tile/0/000`);
    expect(full.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(full.headers.get('content-type')).toBe('application/octet-stream');
    expect(full.headers.get('content-length')).toBe('8192'); // 256 hashes of 32 bytes
    const { size } = await log.readCheckpoint();
    const hashes = await log.leafHashes();
    for (const [path, firstLeaf, width] of [
      ['0/000.p/3', 0, 3],
      [`0/001.p/${size - 256}`, 256, size - 256],
      ['0/001.p/1', 256, 1],
    ] as const) {
      const partial = await fetch(`${platform.baseUrl}${PROOFS}/tile/${path}`);
      expect(partial.headers.get('cache-control')).toBe('public, max-age=60');
      expect(Buffer.from(await partial.arrayBuffer())).toEqual(
        Buffer.concat(hashes.slice(firstLeaf, firstLeaf + width)),
      );
    }
    const encoded = await fetch(`${platform.baseUrl}${PROOFS}/tile/${encodeURIComponent('0/000')}`);
    expect(encoded.status).toBe(200);
  });

  const WRONG_WIDTHS = ['0/001', '0/001.p/255', '0/000.p/0', '0/000.p/256', '0/000.p/257', '1/000.p/2'];
  const BEYOND_THE_LOG = ['0/002', '0/999', '1/000', '2/000.p/1', '7/000'];
  const MALFORMED = ['0/0', '0/x000/000', '00/000', '0/-01', 'x', '0/000/', '0/000.p/3/4'];

  it.each([...WRONG_WIDTHS, ...BEYOND_THE_LOG, ...MALFORMED])('has no tile %s', async (path) => {
    const reply = await get(`tile/${path}`);
    expect(reply).toMatchObject({ status: 404, code: 'PROOF_NOT_FOUND' });
    expect(reply.headers.get('cache-control')).toBe('no-store');
  });

  it('answers consistency proofs between all pairs of checkpoints', async () => {
    const keys = await log.keys();
    const hashes = await log.leafHashes();
    for (const [index, newer] of checkpoints.entries())
      for (const older of checkpoints.slice(0, index + 1)) {
        const [from, to] = [readCheckpoint(older, keys).size, readCheckpoint(newer, keys).size];
        const path = await log.consistency(from, to);
        await verifyConsistency(older, newer, path, keys);
        const expected = from === 0 ? [] : consistencyPath(from, hashes.slice(0, to));
        expect(path).toEqual(expected.map((hash) => hash.toString('base64')));
      }
  });

  it.each([
    ['from=2&to=1', 'from'],
    ['from=0&to=100000', 'to'],
    ['from=-1&to=1', 'from'],
    ['from=1', 'to'],
    ['to=1', 'from'],
    ['from=1&to=1e2', 'to'],
  ])('refuses the consistency proof with %s', async (query, field) => {
    const reply = await get(`consistency?${query}`);
    expect(reply).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    expect(reply.body.error.details.fields).toMatchObject([{ field }]);
  });

  it('has its own rate limit, RATE_LIMIT_PROOFS', async () => {
    const { headers } = await sendRequest(`${platform.baseUrl}${PROOFS}/checkpoint`);
    expect(headers.get('x-ratelimit-limit')).toBe(PROOFS_LIMIT);
  });
});
