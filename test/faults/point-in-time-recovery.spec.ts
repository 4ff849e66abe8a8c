import { appendFileSync, chmodSync, chownSync, cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DataSource } from 'typeorm';
import { createApp } from '../../src/app.setup.js';
import { loadConfig } from '../../src/config/app-config.js';
import { Jobs } from '../../src/jobs/jobs.service.js';
import { PLATFORM_DATABASE, startPostgres, type RunningPostgres } from '../../src/sandbox/postgres.js';
import { postgresUser } from '../../src/sandbox/postgres-binaries.js';
import type { TestAdmin, TestUser } from '../fixtures/given.js';
import { LogReader } from '../fixtures/log-reader.js';
import { DESTINATION, USER_WITHDRAWALS } from '../fixtures/withdrawals.js';
import { copyCluster } from '../harness/base-backup.js';
import { executeOnDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { recordGuarantee } from '../harness/jest/guarantees.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { testFolder } from '../harness/test-folder.js';

// The recipe of docs/operations.md, with `cp` in the place of pgBackRest or WAL-G.

const WITHDRAWAL = { amount: '10.00', currency: 'USDC', toAddress: DESTINATION };
const CONTINUE = '/api/admin/proofs/continue';
const REASON = 'Recovered to a moment before the loss';

/** Folders beside the cluster, which the server reaches by relative paths as its own user. */
const archiveOf = (dataDir: string) => join(dataDir, 'archive');
const clusterOf = (dataDir: string) => join(dataDir, 'cluster');

function giveToPostgres(folder: string): void {
  const user = postgresUser();
  if (!user) return;
  for (const path of [folder, ...readdirSync(folder).map((name) => join(folder, name))])
    chownSync(path, user.uid, user.gid);
}

async function startArchivingPostgres(dataDir: string): Promise<RunningPostgres> {
  const server = await startPostgres({ dataDir });
  mkdirSync(archiveOf(dataDir));
  giveToPostgres(archiveOf(dataDir));
  for (const setting of [
    `archive_mode = on`,
    // A recovery never sees a file that is half copied.
    `archive_command = 'test ! -f ../archive/%f && cp %p ../archive/%f.copy && mv ../archive/%f.copy ../archive/%f'`,
  ])
    await executeOnDatabase(server.url('postgres'), `alter system set ${setting}`);
  await server.stop(); // `archive_mode` applies after a restart
  return startPostgres({ dataDir });
}

/** Starts a server from a base backup, which replays the archived log up to the moment and then accepts writes. */
async function recover(backupDir: string, archive: string, moment: string): Promise<RunningPostgres> {
  chmodSync(backupDir, 0o755); // so that the server reaches the archive
  cpSync(archive, archiveOf(backupDir), { recursive: true });
  giveToPostgres(archiveOf(backupDir));
  writeFileSync(join(clusterOf(backupDir), 'recovery.signal'), '');
  appendFileSync(
    join(clusterOf(backupDir), 'postgresql.auto.conf'),
    `archive_mode = off
restore_command = 'cp ../archive/%f %p'
recovery_target_time = '${moment}'
recovery_target_action = 'promote'
`,
  );
  return startPostgres({ dataDir: backupDir });
}

describe('A platform whose database was recovered to a moment', () => {
  let dataDir: string;
  let server: RunningPostgres;
  let recovered: RunningPostgres | undefined;
  let platform: TestPlatform;
  let app: NestExpressApplication | undefined;
  let user: TestUser;
  let admin: TestAdmin;

  beforeAll(async () => {
    dataDir = testFolder('archiving');
    server = await startArchivingPostgres(dataDir);
    platform = await startPlatform({
      settings: {
        DATABASE_URL: server.url(PLATFORM_DATABASE),
        FOUR_EYES: 'off',
        LOG_SEAL_SECONDS: '3600',
        DEPOSIT_POLL_SECONDS: '3600',
      },
    });
    user = await platform.given.user().withBalance('1000.00');
    admin = await platform.given.admin();
  });
  afterAll(async () => {
    await app?.close();
    await platform?.stop();
    await recovered?.stop();
    await server?.stop();
  });

  it('has every write up to the moment and none after it, and continues the log when an admin has compared it', async () => {
    const log = new LogReader(platform);
    const backupDir = testFolder('recovered');
    await copyCluster(server, clusterOf(dataDir), clusterOf(backupDir));

    const withdraw = async (at?: string) =>
      (await platform.as(user, at).post(USER_WITHDRAWALS, WITHDRAWAL)).data.id as string;
    const kept = await withdraw();
    await log.seal();
    const published = await log.checkpoint();
    const before = await platform.ledgerState();
    const [{ moment }] = await platform.dataSource.query<[{ moment: string }]>(
      'select clock_timestamp()::text as moment',
    );
    const lost = await withdraw();
    await log.seal();
    const publishedLater = await log.checkpoint();
    const [{ segment }] = await platform.dataSource.query<[{ segment: string }]>(
      'select pg_walfile_name(pg_switch_wal()) as segment',
    );
    await eventually(async () => expect(readdirSync(archiveOf(dataDir))).toContain(segment));

    const beganAt = performance.now();
    recovered = await recover(backupDir, archiveOf(dataDir), moment);
    const database = await new DataSource({
      type: 'postgres',
      url: recovered.url(PLATFORM_DATABASE),
    }).initialize();
    await eventually(async () =>
      expect(await database.query('select pg_is_in_recovery() as "isRunning"')).toEqual([
        { isRunning: false },
      ]),
    );
    expect(await platform.ledgerState(database.manager)).toEqual(before);
    await database.query('update proof_log set restored_at = now()');
    await database.destroy();

    app = await createApp(
      loadConfig({ ...platform.env, DATABASE_URL: recovered.url(PLATFORM_DATABASE) }),
      platform.clock,
    );
    await app.listen(0, '127.0.0.1');
    const url = await app.getUrl();
    const next = await withdraw(url);
    const recoveryMs = Math.round(performance.now() - beganAt);
    const ids = (await platform.as(user, url).get(USER_WITHDRAWALS)).data.requests.map(
      ({ id }: { id: string }) => id,
    );
    expect(new Set(ids)).toEqual(new Set([next, kept]));
    expect(ids).not.toContain(lost);
    const integrity = await platform.as(admin, url).get('/api/admin/integrity');
    expect(integrity).toMatchObject({ status: 200 });
    expect(
      integrity.data.laws.filter(
        ({ severity, status }: { severity: string; status: string }) =>
          severity === 'owed' && status !== 'holds',
      ),
    ).toEqual([]);

    // Nothing is sealed, and the log does not continue a checkpoint that was published after the moment.
    const seal = () => (app as NestExpressApplication).get(Jobs).get('log-sealing').runOnce();
    const newest = async () => (await platform.as(null, url).get('/api/proofs/checkpoint')).text;
    await seal();
    expect(await newest()).toBe(published);
    const settle = (checkpoint: string) =>
      platform.as(admin, url).post(CONTINUE, { checkpoint, reason: REASON });
    expect(await settle(publishedLater)).toMatchObject({ status: 422, code: 'INVALID_STATE' });
    expect(await settle(published)).toMatchObject({ status: 200 });
    await seal();
    expect(await newest()).not.toBe(published);
    recordGuarantee(
      'G-72',
      `first write ${recoveryMs} ms after the begin of the recovery, of a small database`,
    );
  });
});
