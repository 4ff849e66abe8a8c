import { PgNotifications } from '../../src/database/pg-notifications.js';
import { eventually } from '../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

const REPLACED_WITHIN_MS = 60_000;

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform?.stop());

it('the connection that receives notifications is replaced when it is silent', async () => {
  const notifications = platform.app.get(PgNotifications);
  await eventually(async () => expect(notifications.isCurrent).toBe(true));
  const [{ pid }] = await platform.dataSource.query<[{ pid: number }]>(
    `select pid from pg_stat_activity
      where datname = current_database() and application_name = 'stablecoin-platform notices'`,
  );
  process.kill(pid, 'SIGSTOP'); // the server process of this connection sends nothing more, and does not close the connection
  try {
    await eventually(async () => expect(notifications.isCurrent).toBe(false));
    await eventually(async () => expect(notifications.isCurrent).toBe(true), REPLACED_WITHIN_MS);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
});
