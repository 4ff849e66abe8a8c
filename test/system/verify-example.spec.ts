import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addDays } from '../../src/common/days.js';
import { SigningKey } from '../../src/modules/assurance/proofs/domain/signing-key.js';
import { NoteVerifier } from '../../src/modules/assurance/proofs/domain/checkpoint.js';
import {
  HISTORY_LAST_CLOSED,
  HISTORY_SETTINGS,
  HISTORY_START,
  makeAuditHistory,
} from '../fixtures/audit-history.js';
import type { TestUser } from '../fixtures/given.js';
import { type Lie, startLyingServer } from '../fixtures/lying-server.js';
import { sealLog } from '../fixtures/log-reader.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { testFolder } from '../harness/test-folder.js';

const PROGRAM = 'docs/examples/verify.mjs';

interface Run {
  readonly failed: boolean;
  readonly output: string;
}

function runNode(args: string[], env: Record<string, string>): Promise<Run> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      resolve({ failed: error !== null, output: stdout + stderr }),
    );
  });
}

describe('docs/examples/verify.mjs', () => {
  let platform: TestPlatform;
  let ann: TestUser;
  let folder: string;

  beforeAll(async () => {
    const settings = { ...HISTORY_SETTINGS, LOG_SIGNING_KEY_ALSO: randomBytes(32).toString('base64') };
    platform = await startPlatform({ at: HISTORY_START, blockIntervalMs: 0, settings });
    ({ ann } = await makeAuditHistory(platform));
    folder = testFolder('my-proofs');
  });
  afterAll(() => platform?.stop());

  const verify = (
    user: TestUser,
    url = platform.baseUrl,
    today: string = platform.clock.today(),
  ): Promise<Run> => runNode([PROGRAM, folder], { API: url, TOKEN: user.token, TODAY: today });
  const readKept = (name: string) => readFileSync(join(folder, name), 'utf8');

  it("verifies a user's transactions and the last closed day, and stores the user's id, the keys, the checkpoint and the total", async () => {
    const { failed, output } = await verify(ann);
    expect(output).toMatch(new RegExp(`owed at the end of ${HISTORY_LAST_CLOSED} are yours`));
    expect(failed).toBe(false);
    expect(readKept('user.txt')).toBe(ann.id);
    expect(readKept('keys.txt')).toBe((await platform.as(null).get('/api/proofs/key')).text);
    expect(readKept('checkpoint.txt')).toBe((await platform.as(null).get('/api/proofs/checkpoint')).text);
    const { data: trees } = await platform.as(null).get(`/api/proofs/liabilities/${HISTORY_LAST_CLOSED}`);
    const [{ day, asset, leafIndex, root, total }] = trees;
    expect(readKept('days.jsonl')).toBe(`${JSON.stringify({ day, asset, leafIndex, root, total })}\n`);
    expect(output).toContain(readKept('days.jsonl'));
  });

  it('fails if the last closed day ended more than a day before yesterday', async () => {
    expect(await verify(ann, platform.baseUrl, addDays(HISTORY_LAST_CLOSED, 2))).toMatchObject({
      failed: false,
    });
    expect(await verify(ann, platform.baseUrl, addDays(HISTORY_LAST_CLOSED, 3))).toEqual({
      failed: true,
      output: expect.stringContaining(`The newest proof of your money is of ${HISTORY_LAST_CLOSED};`),
    });
  });

  it('fails if the last closed day has not begun', async () => {
    expect(await verify(ann, platform.baseUrl, addDays(HISTORY_LAST_CLOSED, -1))).toEqual({
      failed: true,
      output: expect.stringContaining(`is of ${HISTORY_LAST_CLOSED}, which has not begun`),
    });
  });

  it('fails if the stored total of the last closed day is another one', async () => {
    const kept = readKept('days.jsonl');
    writeFileSync(join(folder, 'days.jsonl'), kept.replace(/"total":"\d/, '"total":"9'));
    const { failed, output } = await verify(ann);
    expect([failed, output]).toEqual([true, expect.stringContaining('The kept total is another one')]);
    writeFileSync(join(folder, 'days.jsonl'), kept);
  });

  it('keeps the stored keys, and stores a new one only if it has signed the newest checkpoint', async () => {
    const [first, second] = readKept('keys.txt').trim().split('\n');
    const [{ origin }] = await platform.dataSource.query('select origin from proof_log');
    /** The line in keys.txt of the key with this seed. */
    const lineOf = (seed: number) =>
      new NoteVerifier(origin, new SigningKey(Buffer.alloc(32, seed)).publicKey).toString();
    const keyWithoutSignature = new SigningKey(Buffer.alloc(32, 8)).publicKey.bytes;
    await platform.dataSource.query('insert into proof_key (public_key, used_since) values ($1, now())', [
      keyWithoutSignature,
    ]);
    writeFileSync(join(folder, 'keys.txt'), `${lineOf(7)}\n${second}\n`);
    const { failed, output } = await verify(ann);
    expect(output).toContain('continues the kept one of');
    expect(output).toContain(`Not kept, since it has not signed the newest checkpoint: ${lineOf(8)}`);
    expect(failed).toBe(false);
    expect(readKept('keys.txt')).toBe(`${[lineOf(7), second, first].join('\n')}\n`);
  });

  it('fails if the leaves move no money of the stored user', async () => {
    writeFileSync(join(folder, 'user.txt'), randomUUID());
    const { failed, output } = await verify(ann);
    expect(output).toMatch(/No leaf of transaction \S+ moves \S+ \w+ of the user/);
    expect(failed).toBe(true);
    writeFileSync(join(folder, 'user.txt'), ann.id);
  });

  it('stores neither a key nor a checkpoint if the stored keys have not signed the newest checkpoint', async () => {
    const before = readKept('checkpoint.txt');
    const [{ origin }] = await platform.dataSource.query('select origin from proof_log');
    const otherKey = `${new NoteVerifier(origin, new SigningKey(Buffer.alloc(32, 9)).publicKey).toString()}\n`;
    writeFileSync(join(folder, 'keys.txt'), otherKey);
    const { failed, output } = await verify(ann);
    expect(output).toContain('None of the given keys has signed the checkpoint.');
    expect([failed, readKept('keys.txt'), readKept('checkpoint.txt')]).toEqual([true, otherKey, before]);
  });

  describe('at a server that lies', () => {
    const verifyWith = async (lie: Lie): Promise<Run> => {
      const server = await startLyingServer(platform.baseUrl, lie);
      try {
        return await verify(ann, server.url);
      } finally {
        await server.stop();
      }
    };

    beforeAll(async () => {
      writeFileSync(join(folder, 'keys.txt'), (await platform.as(null).get('/api/proofs/key')).text);
    });

    it('fails if the proof of a completed record is hidden, and stores the checkpoint', async () => {
      rmSync(join(folder, 'checkpoint.txt'));
      const { data } = await platform.as(ann).get('/api/user/transactions?status=completed&limit=1');
      const proof = await platform.as(ann).get(`/api/user/transactions/${data[0].id}/proof`);
      expect(proof.data.proofs).not.toEqual([]);
      const body = { ...proof.body, data: { ...proof.data, proofs: [] } };
      const { failed, output } = await verifyWith((path) =>
        path.endsWith(`/${data[0].id}/proof`) ? { status: 200, body } : undefined,
      );
      expect(output).toMatch(`No leaf of transaction ${data[0].id} moves`);
      expect(failed).toBe(true);
      expect(readKept('checkpoint.txt')).toBe((await platform.as(null).get('/api/proofs/checkpoint')).text);
    });

    it('fails if the server states deposits as withdrawals, and the other records as deposits', async () => {
      const path = '/api/user/transactions?limit=10';
      const { body } = await platform.as(ann).get(path);
      const data = body.data.map((record: { type: string }) => ({
        ...record,
        type: record.type === 'deposit' ? 'withdrawal' : 'deposit',
      }));
      const { failed, output } = await verifyWith((asked) =>
        asked === path ? { status: 200, body: { ...body, data } } : undefined,
      );
      expect(output).toMatch(/No leaf of transaction \S+ moves \S+ \w+ of the user/);
      expect(failed).toBe(true);
    });

    it.each([
      ['the total of a day is stored', '', () => false],
      ['a day with a posting is closed', 'days.jsonl', () => false],
      [
        'a day with a posting is long over',
        'days.jsonl',
        (path) => path.startsWith('/api/proofs/liabilities'),
      ],
    ] as [string, string, (path: string) => boolean][])(
      'fails if the server denies the proof of the last closed day although %s',
      async (_, removed, isDenied) => {
        const kept = readKept('days.jsonl');
        if (removed !== '') rmSync(join(folder, removed));
        const { body } = await platform.as(ann).get('/api/user/proof-of-liabilities?day=2026-01-01');
        expect(body.error.code).toBe('PROOF_NOT_FOUND');
        const { failed, output } = await verifyWith((path) =>
          path.startsWith('/api/user/proof-of-liabilities') || isDenied(path)
            ? { status: 404, body }
            : undefined,
        );
        expect(output).toMatch(/the last closed day has no proof of your money|No day is closed, although/);
        expect(failed).toBe(true);
        writeFileSync(join(folder, 'days.jsonl'), kept);
      },
    );

    it('fails if the server answers the proof of an earlier day than the stored one', async () => {
      const earlier = addDays(HISTORY_LAST_CLOSED, -1);
      const { body } = await platform.as(ann).get(`/api/user/proof-of-liabilities?day=${earlier}`);
      const { failed, output } = await verifyWith((path) =>
        path.startsWith('/api/user/proof-of-liabilities') ? { status: 200, body } : undefined,
      );
      expect(output).toContain(
        `The newest proof of your money is of ${earlier}; the last closed day must be ${HISTORY_LAST_CLOSED} or later.`,
      );
      expect(failed).toBe(true);
    });
  });
});

describe('Before a day is closed', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    const settings = { LOG_SEAL_SECONDS: '3600', DEPOSIT_POLL_SECONDS: '3600' };
    platform = await startPlatform({ settings });
  });
  afterAll(() => platform?.stop());

  it('docs/examples/verify.mjs stores the keys and the checkpoint, and names a record whose proof is pending', async () => {
    const folder = testFolder('my-proofs');
    const verify = ({ token }: TestUser) =>
      runNode([PROGRAM, folder], { API: platform.baseUrl, TOKEN: token, TODAY: platform.clock.today() });
    const ann = await platform.given.user();
    const empty = await verify(ann);
    expect(empty).toEqual({ failed: false, output: expect.stringContaining('no closed day with this user') });
    for (const name of ['user.txt', 'keys.txt', 'checkpoint.txt'])
      expect([name, existsSync(join(folder, name))]).toEqual([name, true]);

    await platform.given.deposit(ann.id, '100.00');
    const pending = await verify(ann);
    expect(pending.output).toMatch(/^deposit of \S+ \(completed\): the proof is pending/m);
    expect(pending).toEqual({
      failed: false,
      output: expect.stringContaining('no closed day with this user'),
    });

    await sealLog(platform);
    const sealed = await verify(ann);
    expect(sealed.output).toMatch(/^deposit at \S+, leaf 0: /m);
    expect(sealed).toEqual({ failed: false, output: expect.stringContaining('continues the kept one') });
    expect(readFileSync(join(folder, 'checkpoint.txt'), 'utf8')).toBe(
      (await platform.as(null).get('/api/proofs/checkpoint')).text,
    );
  });
});
