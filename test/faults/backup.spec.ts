import { randomBytes } from 'node:crypto';
import { PassThrough, Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import pg from 'pg';
import { createApp } from '../../src/app.setup.js';
import { DAY_MS } from '../../src/common/durations.js';
import { loadConfig } from '../../src/config/app-config.js';
import { AlertsService } from '../../src/modules/core/alerts/alerts.service.js';
import { LogRepository } from '../../src/modules/assurance/proofs/log.repository.js';
import { SealingService } from '../../src/modules/assurance/proofs/sealing.service.js';
import { NavsService } from '../../src/modules/investing/strategies/navs.service.js';
import { backup } from '../../src/operations/backup.js';
import { restore } from '../../src/operations/restore.js';
import { freshDatabase, type TestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { DomainEventFixtures } from '../fixtures/domain-event-fixtures.js';
import type { TestUser } from '../fixtures/given.js';
import { UserHistory, historyStep } from '../fixtures/random-user-history.js';
import { Jobs } from '../../src/jobs/jobs.service.js';
import { FaucetScenario, newAddress } from '../fixtures/faucet-scenario.js';
import { caughtUp } from '../harness/caught-up.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { ServiceWithdrawals } from '../fixtures/service-withdrawals.js';

const STEPS = 150; // of three users together
const SEED = 20_260_302;

describe('A backup', () => {
  let platform: TestPlatform;
  let users: TestUser[];
  let databases: TestDatabase[] = [];

  beforeAll(async () => {
    const faucet = await FaucetScenario.start({ settings: { INVESTMENT_APPROVAL_THRESHOLD: '800.00' } });
    platform = faucet.platform;
    await faucet.request({ walletAddress: newAddress() });
    users = [];
    const withdrawals = await ServiceWithdrawals.create(platform);
    for (const steps of fc.sample(fc.array(historyStep, { minLength: STEPS / 3, maxLength: STEPS / 3 }), {
      numRuns: 3,
      seed: SEED,
    })) {
      const user = await platform.given.user().withBalance('5000.00');
      const history = new UserHistory(platform, withdrawals, user);
      for (const step of steps) await history.apply(step);
      users.push(user);
    }
    for (const job of ['log-sealing', 'liabilities-closing', 'faucet-payouts'])
      await platform.app.get(Jobs).get(job).end(); // so that no row changes later
  });
  afterEach(async () => {
    for (const database of databases) await database.drop();
    databases = [];
  });
  afterAll(() => platform?.stop());

  const takeBackup = async (): Promise<Buffer> => {
    const file = new PassThrough();
    const [content] = await Promise.all([buffer(file), backup(platform.env.DATABASE_URL as string, file)]);
    return content;
  };
  /** A checksum of each table; of `proof_log` the row itself, without `restored_at`, which a restore sets. */
  const sumsOf = async (url: string) => {
    const client = await connect(url);
    const { rows: log } = await client.query('select origin, size, sealed_entry_id from proof_log');
    await client.end();
    return { ...(await tableSums(url)), proof_log: log };
  };
  const createDatabase = async (template?: string): Promise<TestDatabase> => {
    const database = await freshDatabase(template);
    databases.push(database);
    return database;
  };

  it('ends with the error of its file, and closes its connection to the database', async () => {
    await platform.dataSource.query(
      'create table filler as select number, md5(number::text) as text from generate_series(1, 300000) as number',
    ); // more than the buffers between the database and the file hold
    let writtenBytes = 0;
    const fullDisk = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        writtenBytes += chunk.length;
        done(writtenBytes > 1_000_000 ? new Error('no space left') : null);
      },
    });
    const backups = () =>
      platform.dataSource.query(
        "select from pg_stat_activity where datname = current_database() and application_name = 'stablecoin-platform backup'",
      );
    try {
      await expect(backup(platform.env.DATABASE_URL as string, fullDisk)).rejects.toThrow('no space left');
      await eventually(async () => expect(await backups()).toEqual([]));
    } finally {
      await platform.dataSource.query('drop table filler');
    }
  });

  it('restores every row; on a platform with the restored database the invariants about money owed hold and users read their balances', async () => {
    const admin = await platform.given.admin(); // the backup contains the session
    const database = await createDatabase();
    await caughtUp(platform);
    await restore(database.url, Readable.from(await takeBackup()));

    expect(await sumsOf(database.url)).toEqual(await sumsOf(platform.env.DATABASE_URL as string));
    expect(await platform.dataSource.query('select status from faucet_payout')).toEqual([
      { status: 'completed' },
    ]);
    const app = await createApp(loadConfig({ ...platform.env, DATABASE_URL: database.url }), platform.clock);
    await app.listen(0, '127.0.0.1');
    const url = await app.getUrl();
    const { data } = await platform.as(admin, url).get('/api/admin/integrity');
    expect(data.entries).toBeGreaterThan(100);
    // Severity `owed`: money owed to users may be wrong.
    expect(
      data.laws.filter(
        ({ severity, status }: ReportedInvariant) => severity === 'owed' && status !== 'holds',
      ),
    ).toEqual([]);
    for (const user of users) expect(await balanceOf(user, url)).toEqual(await balanceOf(user));
    await app.close();
  });

  it('is restored with a log that is marked as restored, into which a platform seals nothing', async () => {
    const database = await createDatabase();
    await restore(database.url, Readable.from(await takeBackup()));
    const app = await createApp(loadConfig({ ...platform.env, DATABASE_URL: database.url }), platform.clock);
    await app.get(Jobs).get('log-sealing').end();
    const originalLog = await platform.app.get(LogRepository).findState();
    const restoredLog = await app.get(LogRepository).findState();
    expect([originalLog?.restoredAt, restoredLog?.restoredAt]).toEqual([null, expect.any(Date)]);
    const deposit = { userId: (users[0] as TestUser).id, amount: '1' };
    await new DomainEventFixtures(app).deposit('deposit.completed', deposit);
    expect(await app.get(SealingService).sealCommittedTransactions(new AbortController().signal)).toBe(0);
    await app.close();
  });

  it('can be restored into a database on which the platform has run for days without users', async () => {
    const idlePlatform = await startPlatform({ settings: { DEPOSIT_POLL_SECONDS: '1' } });
    const { app, clock } = idlePlatform;
    await app.get(AlertsService).raise({
      kind: 'clock-apart',
      subject: { type: 'process', id: 'api' },
      message: 'The clock of a process is wrong.',
      nextStep: 'Set the clock.',
    });
    for (let day = 0; day < 3; day++) {
      clock.advance(DAY_MS);
      await app.get(NavsService).publishMissingNavs();
      await idlePlatform.runJob('nightly-check');
      for (const path of ['/api/health/detailed', '/api/sla/report', '/api/deposits/status'])
        await idlePlatform.as(null).get(path);
    }
    const accruals = await idlePlatform.dataSource.query('select from strategy_accrual');
    expect(accruals.length).toBeGreaterThan(0);
    const url = idlePlatform.env.DATABASE_URL as string;
    await app.close();
    await restore(url, Readable.from(await takeBackup()));
    expect(await sumsOf(url)).toEqual(await sumsOf(platform.env.DATABASE_URL as string));
    await idlePlatform.stop();
  });

  it('restores sequences and triggers: new rows get new ids, and ledger entries are immutable', async () => {
    const database = await createDatabase();
    await restore(database.url, Readable.from(await takeBackup()));
    const client = await connect(database.url);
    const { rows } = await client.query(
      `select nextval('ledger_entry_id_seq') > max(id) as later from ledger_entry`,
    );
    expect(rows).toEqual([{ later: true }]);
    await expect(client.query('update ledger_entry set amount = amount + 1')).rejects.toThrow('is refused');
    await client.end();
  });

  it('is a consistent snapshot while money moves', async () => {
    let isOver = false;
    const traffic = users.map(async (user) => {
      while (!isOver) {
        const body = { strategyId: 'balanced-10', amount: '10.00' };
        const { data } = await platform.as(user).post('/api/user/investments', body);
        if (data?.id) await platform.as(user).post(`/api/user/investments/${data.id}/cancel`);
      }
    });
    const files = [await takeBackup(), await takeBackup(), await takeBackup()];
    isOver = true;
    await Promise.all(traffic);

    for (const file of files) {
      const database = await createDatabase();
      await restore(database.url, Readable.from(file));
      const client = await connect(database.url);
      const { rows } = await client.query(
        `select id from ledger_account as account where balance is not null
            and balance <> (select coalesce(sum(amount), 0) from ledger_entry where account_id = account.id)`,
      );
      expect(rows).toEqual([]);
      await client.end();
    }
  });

  describe('is refused by a restore, which changes nothing,', () => {
    let file: Buffer;
    beforeAll(async () => {
      file = await takeBackup();
    });

    /** The message of the failed restore. */
    const refusalOf = async (content: Buffer, url?: string) => {
      const target = url ?? (await createDatabase()).url;
      const before = await tableSums(target);
      const error = await restore(target, Readable.from(content)).catch((thrown: Error) => thrown);
      expect(await tableSums(target)).toEqual(before);
      return (error as Error).message;
    };
    const altered = (change: (text: string) => string) => gzipSync(change(gunzipSync(file).toString()));

    it('if the file is empty or truncated, near its beginning, in the middle or near its end', async () => {
      for (const part of [0, 0.01, 0.5, 0.999]) {
        expect(await refusalOf(file.subarray(0, Math.floor(file.length * part)))).toMatch(/damaged|too soon/);
      }
    });

    it('if the last lines of the file are missing', async () => {
      expect(await refusalOf(altered((text) => text.slice(0, text.lastIndexOf('\n-- end ') + 1)))).toContain(
        'too soon',
      );
    });

    it('if a byte of the file differs', async () => {
      const copy = Buffer.from(file);
      const middle = Math.floor(copy.length / 2);
      copy[middle] = (copy[middle] as number) ^ 0xff;
      expect(await refusalOf(copy)).toMatch(/damaged/);
    });

    it('if a figure was altered', async () => {
      expect(await refusalOf(altered((text) => text.replace('5000', '6000')))).toMatch(/checksum/);
    });

    it('if a row was removed', async () => {
      const withoutLast = (text: string) =>
        text.replace(/\n[^\n]+\n\\\.\n(?=COPY "ledger_transaction")/, '\n\\.\n');
      expect(withoutLast(gunzipSync(file).toString())).not.toBe(gunzipSync(file).toString());
      expect(await refusalOf(altered(withoutLast))).toMatch(/damaged/);
    });

    it('if the file is not a backup', async () => {
      expect(await refusalOf(randomBytes(5000))).toMatch(/damaged/);
      expect(await refusalOf(gzipSync('select 1;\n'))).toMatch(/no backup/);
    });

    it('if the schema has another version', async () => {
      const older = (text: string) => text.replace(/,"[a-z-]+\d{13}"\]/, ']'); // removes the last migration
      expect(await refusalOf(altered(older))).toMatch(/is of schema/);
      const withoutSchema = await createDatabase('template0');
      await expect(restore(withoutSchema.url, Readable.from(file))).rejects.toThrow('the database of none');
    });

    it('if the target database contains data', async () => {
      expect(await refusalOf(file, platform.env.DATABASE_URL as string)).toMatch(/holds data already/);
    });
  });

  const balanceOf = async (user: TestUser, url?: string) =>
    (await platform.as(user, url).get('/api/user/balance')).data;
});

interface ReportedInvariant {
  severity: string;
  status: string;
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  return client;
}

const TABLES_WRITTEN_IN_BACKGROUND = ['job_run', 'lease', 'sla_minute'];

/** A checksum over all rows of each table. */
async function tableSums(url: string): Promise<Record<string, string>> {
  const client = await connect(url);
  const { rows: tables } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
        and relname <> all($1) order by 1`,
    [TABLES_WRITTEN_IN_BACKGROUND],
  );
  const sums: Record<string, string> = {};
  for (const { name } of tables) {
    const { rows } = await client.query<{ sum: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(line::text, '|' order by line::text)), '') as sum from "${name}" as line`,
    );
    sums[name] = rows[0]?.sum ?? '';
  }
  await client.end();
  return sums;
}
