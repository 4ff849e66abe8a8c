import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { Logger } from '@nestjs/common';
import { AppConfig } from '../../../src/config/app-config.js';
import { AdminDirectoryService } from '../../../src/modules/identity/admins/admin-directory.service.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { oneSecondLater } from '../../harness/current-sessions.js';
import { eventually } from '../../harness/eventually.js';
import { MetricsPage } from '../../harness/metrics.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { skipTime } from '../../harness/skip-time.js';

interface Entry {
  email: string;
  roles: string[];
}

const FIVE_MINUTES_MS = 300_000;

describe('ADMINS_FILE with an error', () => {
  let platform: TestPlatform;
  let file: string;
  let good: string;
  let entries: Entry[];
  let admin: TestAdmin;
  let operator: TestAdmin;
  let errors: jest.SpyInstance;
  let versions = 0;

  beforeAll(async () => {
    platform = await startPlatform();
    file = platform.app.get(AppConfig).ADMINS_FILE;
    good = readFileSync(file, 'utf8');
    entries = JSON.parse(good) as Entry[];
    admin = await platform.given.admin();
    operator = await platform.given.admin('operator');
  });
  afterAll(() => platform?.stop());
  beforeEach(() => {
    errors = jest.spyOn(Logger.prototype, 'error');
  });
  afterEach(async () => {
    write(good);
    await oneSecondLater(async () => expect(await code(admin)).toBe(200));
    errors.mockRestore();
  });

  const write = (text: string) => {
    writeFileSync(file, text);
    // A new modification time for every version, by which the service detects a change.
    utimesSync(file, new Date(), new Date(Date.now() + ++versions * 1000));
  };
  const writeEntries = (changed: unknown[]) => write(JSON.stringify(changed));
  const without = ({ email }: TestAdmin) => entries.filter((entry) => entry.email !== email);
  const code = async (caller: TestAdmin, path = '/api/admin/profile') => {
    const reply = await platform.as(caller).get(path);
    return reply.code ?? reply.status;
  };
  const adminsComponent = async () => {
    const { data } = await platform.as(null).get('/api/health/detailed');
    return (data.components as { component: string; status: string }[]).find(
      (entry) => entry.component === 'admins',
    );
  };
  const readableMetric = async () => {
    return (await MetricsPage.fetch(platform.baseUrl)).value('admins_file_readable');
  };

  it('admits no user who owns money as an admin, and is invalid while it lists one [SEC-492]', async () => {
    const owner = await platform.given.user().withBalance('10.00');
    const other = await platform.given.user();
    const added = [owner, other].map(({ email }) => ({ email, roles: ['admin'] }));
    writeEntries([...entries, ...added]);
    skipTime(3000);
    await eventually(async () => expect(await readableMetric()).toBe(0));
    skipTime(3000); // beyond the lifetime of the cached health result
    expect((await adminsComponent())?.status).toBe('degraded');
    expect(platform.app.get(AdminDirectoryService).findAdminByEmail(owner.email)).toBeUndefined();
    expect((await platform.given.user(owner.email)).token).toBeDefined(); // still signs in as a user
    expect((await platform.as(owner).get('/api/user/balance')).data.available).toBe('10.00');
    expect(await code(admin)).toBe(200);

    writeEntries([...entries, { email: other.email, roles: ['admin'] }]);
    skipTime(3000);
    await eventually(async () =>
      expect(platform.app.get(AdminDirectoryService).findAdminByEmail(other.email)).toBeDefined(),
    );
    expect(await readableMetric()).toBe(1);
  });

  it.each<[string, () => void]>([
    ['a file that is not JSON', () => write(good.slice(0, -2))],
    ['a file that is not a list', () => write('{}')],
    ['a missing file', () => rmSync(file)],
    ['an entry without roles', () => writeEntries([...entries, { email: 'typo@example.com' }])],
  ])(
    'is reported at once by metric, health check and log, and no request fails: %s',
    async (_what, corruptFile) => {
      expect([await readableMetric(), (await adminsComponent())?.status]).toEqual([1, 'healthy']);
      corruptFile();
      skipTime(3000); // beyond the lifetime of the cached health result
      expect([await code(admin), await code(operator)]).toEqual([200, 200]);
      expect([await readableMetric(), (await adminsComponent())?.status]).toEqual([0, 'degraded']);
      expect((await platform.as(null).get('/api/auth/admin/health')).data.status).toBe('degraded');
      expect((await platform.as(null).get('/api/health/ready')).status).toBe(200);
      const lines = errors.mock.calls.map(([line]) => String(line));
      expect(lines.filter((line) => line.startsWith('ADMINS_FILE'))).toHaveLength(1);
      for (let second = 0; second < 4; second++) {
        skipTime(1000);
        expect(await code(admin)).toBe(200);
      }
      write(good);
      skipTime(3000);
      expect([await readableMetric(), (await adminsComponent())?.status]).toEqual([1, 'healthy']);
    },
  );

  it('applies the last valid list for five minutes, then rejects all admins while the file is not JSON', async () => {
    write('[');
    skipTime(1000);
    expect(await code(admin)).toBe(200);
    skipTime(FIVE_MINUTES_MS - 1000);
    expect(await code(admin)).toBe(200);
    skipTime(1000);
    expect(await code(admin)).toBe('TOKEN_INVALID');
    const login = { email: admin.email, password: 'sandbox-password' };
    const reply = await platform.as(null).post('/api/admin/auth/login', login);
    expect([reply.status, reply.code]).toEqual([401, 'INVALID_CREDENTIALS']);
  });

  it('admits after five minutes only admins in both the file and the last valid list, with the permissions common to both', async () => {
    const broken = { email: 'typo@example.com' };
    const newcomer = { email: 'newcomer@example.com', roles: ['admin'] };
    // The operator is removed, and the admin has fewer permissions.
    const reduced = without(operator).map((entry) =>
      entry.email === admin.email ? { ...entry, roles: ['support'] } : entry,
    );
    // The admin `readonly` has more permissions.
    const raised = reduced.map((entry) =>
      entry.roles[0] === 'readonly' ? { ...entry, roles: ['admin'] } : entry,
    );
    const readonly = await platform.given.admin('readonly');
    writeEntries([...raised, newcomer, broken]);
    skipTime(1000);
    expect([await code(admin, '/api/admin/audit'), await code(operator)]).toEqual([200, 200]);
    skipTime(FIVE_MINUTES_MS);
    expect(await code(operator)).toBe('TOKEN_INVALID'); // the file no longer lists the operator
    expect(await code(admin, '/api/admin/users')).toBe(200);
    expect(await code(admin, '/api/admin/audit')).toBe('PERMISSION_DENIED'); // the entry has fewer permissions now
    // In the last valid list this admin has fewer permissions.
    expect(await code(readonly, '/api/admin/users')).toBe('PERMISSION_DENIED');
    const jwt = await platform.outside.providers.identity.token({ email: newcomer.email });
    expect((await platform.as({ token: jwt }).post('/api/auth/idp/login')).data.isAdmin).toBe(false);
  });
});
