import pg from 'pg';
import { freePort } from '../../src/sandbox/ports.js';
import { ApiProcess } from '../harness/api-process.js';
import { executeOnDatabase, freshDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { startTlsPostgres, type TlsPostgres } from '../harness/tls-postgres.js';

const ERROR = 50; // the level of pino

/** The database of the platform at another host or port, or with other credentials. */
function changed(databaseUrl: string, change: Partial<URL>): string {
  return Object.assign(new URL(databaseUrl), change).toString();
}

describe('The start of a process that cannot use its database', () => {
  let platform: TestPlatform;
  let api: ApiProcess | undefined;
  const databaseUrl = () => platform.env.DATABASE_URL as string;

  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterEach(() => api?.kill());
  afterAll(() => platform?.stop());

  async function launch(settings: Record<string, string>): Promise<ApiProcess> {
    api = await ApiProcess.launch({
      ...platform.env,
      LOG_LEVEL: 'info',
      DATABASE_WAIT_SECONDS: '1',
      ...settings,
    });
    return api;
  }

  /** The lines at level error of a process that has ended because of its database. */
  async function errorsOf(DATABASE_URL: string): Promise<string[]> {
    const started = await launch({ DATABASE_URL });
    expect(await started.waitForExit()).toBe(1);
    return started.output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: number; msg: string })
      .filter(({ level }) => level >= ERROR)
      .map(({ msg }) => msg);
  }

  it.each<[string, Partial<URL>, RegExp]>([
    [
      'a wrong password',
      { password: 'canary' },
      /password authentication failed.*Correct the user and the password/,
    ],
    [
      'an unknown database',
      { pathname: '/nowhere' },
      /"nowhere" does not exist.*Correct the name of the database/,
    ],
    ['an unknown host', { hostname: 'database.invalid' }, /Correct (the host|host and port) in DATABASE_URL/],
    [
      'a demand for TLS that the server lacks',
      { search: '?sslmode=verify-full' },
      /does not support SSL.*ssl=on/,
    ],
  ])('ends with one line at level error that says what to change after %s', async (_fault, change, line) => {
    const errors = await errorsOf(changed(databaseUrl(), change));
    expect(errors).toEqual([expect.stringMatching(/^no database after \d+ seconds: /)]);
    expect(errors[0]).toMatch(line);
    expect(api?.output).not.toContain('canary');
  });

  it('logs a reason for waiting once, ignores SIGHUP, and ends on SIGQUIT', async () => {
    const DATABASE_URL = changed(databaseUrl(), { port: String(await freePort()) });
    const waiting = await launch({ DATABASE_URL, DATABASE_WAIT_SECONDS: '3600' });
    await eventually(async () => expect(waiting.output).toContain('waiting for the database'));
    waiting.signal('SIGHUP');
    await eventually(async () => expect(waiting.output).toContain('SIGHUP: ignored'));
    waiting.signal('SIGQUIT');
    expect(await waiting.waitForExit()).toBe(0);
    expect(waiting.output.match(/waiting for the database/g)).toHaveLength(1);
  });

  it('names the command for migrations if the role must not create tables', async () => {
    const empty = await freshDatabase('template0');
    await executeOnDatabase(empty.url, `create role reader login password 'canary'`);
    const started = await launch({
      DATABASE_URL: changed(empty.url, { username: 'reader', password: 'canary' }),
    });
    const exitCode = await started.waitForExit();
    await empty.drop();
    await executeOnDatabase(databaseUrl(), 'drop role reader');
    expect(exitCode).toBe(1);
    expect(started.output).toContain('Run npm run migrate with the role that owns the tables');
  });

  describe('with TLS', () => {
    let postgres: TlsPostgres;
    const address = (parameters: string, host = '127.0.0.1') =>
      `${changed(postgres.server.url('platform'), { hostname: host })}?${parameters}`;

    beforeAll(async () => {
      postgres = await startTlsPostgres('127.0.0.1');
    });
    afterAll(() => postgres?.remove());

    it('is refused without the authority of the certificate, and for a host that the certificate does not name', async () => {
      const authority = `sslmode=verify-full&sslrootcert=${encodeURIComponent(postgres.authorityFile)}`;
      const [untrusted] = await errorsOf(address('sslmode=verify-full'));
      expect(untrusted).toMatch(/certificate.*sslrootcert/);
      const [otherHost] = await errorsOf(address(authority, 'localhost'));
      expect(otherHost).toMatch(/Use a host in DATABASE_URL that the certificate of PostgreSQL names/);
      const [missing] = await errorsOf(address('sslmode=verify-full&sslrootcert=/nowhere/ca.pem'));
      expect(missing).toMatch(/Correct the path of sslrootcert/);
    });

    it('serves over TLS with the authority of the certificate', async () => {
      const authority = `sslmode=verify-full&sslrootcert=${encodeURIComponent(postgres.authorityFile)}`;
      const started = await launch({ DATABASE_URL: address(authority), DATABASE_WAIT_SECONDS: '60' });
      await started.waitUntilReady();
      const client = new pg.Client(postgres.server.url('platform'));
      await client.connect();
      const { rows } = await client.query(
        `select distinct ssl from pg_stat_activity join pg_stat_ssl using (pid) where application_name like 'stablecoin-platform%'`,
      );
      await client.end();
      expect(rows).toEqual([{ ssl: true }]);
      expect(await started.terminate()).toBe(0);
    });
  });
});
