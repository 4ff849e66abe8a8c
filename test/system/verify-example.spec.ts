import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SigningKey } from '../../src/modules/proofs/domain/signing-key.js';
import { NoteVerifier } from '../../src/modules/proofs/domain/signed-note.js';
import {
  HISTORY_LAST_CLOSED,
  HISTORY_SETTINGS,
  HISTORY_START,
  makeAuditHistory,
} from '../fixtures/audit-history.js';
import type { TestUser } from '../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { testFolder } from '../harness/test-folder.js';

const PROGRAM = 'docs/examples/verify.mjs';

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
  afterAll(() => platform.stop());

  const verify = (user: TestUser): Promise<{ failed: boolean; output: string }> => {
    const env = { ...process.env, API: platform.baseUrl, TOKEN: user.token };
    return new Promise((resolve) => {
      execFile(process.execPath, [PROGRAM, folder], { env }, (error, stdout, stderr) =>
        resolve({ failed: error !== null, output: stdout + stderr }),
      );
    });
  };
  const kept = (name: string) => readFileSync(join(folder, name), 'utf8');

  it("verifies a user's transactions and the last closed day, and keeps id, keys and checkpoint", async () => {
    const { failed, output } = await verify(ann);
    expect(output).toMatch(new RegExp(`owed at the end of ${HISTORY_LAST_CLOSED} are yours`));
    expect(failed).toBe(false);
    expect(kept('user.txt')).toBe(ann.id);
    expect(kept('keys.txt')).toBe((await platform.as(null).get('/api/proofs/key')).text);
    expect(kept('checkpoint.txt')).toBe((await platform.as(null).get('/api/proofs/checkpoint')).text);
  });

  it('keeps the known keys, and a new one only if it has signed the newest checkpoint', async () => {
    const [first, second] = kept('keys.txt').trim().split('\n');
    const [{ origin }] = await platform.dataSource.query('select origin from proof_log');
    const lineOf = (seed: number) =>
      new NoteVerifier(origin, new SigningKey(Buffer.alloc(32, seed)).publicKey).toString();
    const stranger = new SigningKey(Buffer.alloc(32, 8)).publicKey.bytes;
    await platform.dataSource.query('insert into proof_key (public_key, used_since) values ($1, now())', [
      stranger,
    ]);
    writeFileSync(join(folder, 'keys.txt'), `${lineOf(7)}\n${second}\n`);
    const { failed, output } = await verify(ann);
    expect(output).toContain('continues the kept one of');
    expect(output).toContain(`Not kept, since it has not signed the newest checkpoint: ${lineOf(8)}`);
    expect(failed).toBe(false);
    expect(kept('keys.txt')).toBe(`${[lineOf(7), second, first].join('\n')}\n`);
  });

  it('refuses leaves that move no money of the kept user', async () => {
    writeFileSync(join(folder, 'user.txt'), randomUUID());
    const { failed, output } = await verify(ann);
    expect(output).toMatch(/No leaf of transaction \S+ moves \S+ \w+ of the user/);
    expect(failed).toBe(true);
    writeFileSync(join(folder, 'user.txt'), ann.id);
  });

  it('keeps neither a key nor a checkpoint if the kept keys have not signed the newest one', async () => {
    const before = kept('checkpoint.txt');
    const [{ origin }] = await platform.dataSource.query('select origin from proof_log');
    const other = `${new NoteVerifier(origin, new SigningKey(Buffer.alloc(32, 9)).publicKey).toString()}\n`;
    writeFileSync(join(folder, 'keys.txt'), other);
    const { failed, output } = await verify(ann);
    expect(output).toContain('None of the given keys has signed the checkpoint.');
    expect([failed, kept('keys.txt'), kept('checkpoint.txt')]).toEqual([true, other, before]);
  });
});
