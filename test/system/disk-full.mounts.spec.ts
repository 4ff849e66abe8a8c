import { randomUUID } from 'node:crypto';
import { startPostgres, type RunningPostgres } from '../../src/sandbox/postgres.js';
import { violatedInvariants } from '../fixtures/ledger-fixtures.js';
import type { Reply } from '../harness/http-client.js';
import { executeOnDatabase } from '../harness/database.js';
import type { TestUser } from '../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { recordGuarantee } from '../harness/jest/guarantees.js';
import { SmallDisk } from '../harness/small-disk.js';
import { testFolder } from '../harness/test-folder.js';
import { DESTINATION, USER_WITHDRAWALS } from '../fixtures/withdrawals.js';

// A PostgreSQL server whose tables are on a small disk, which the test fills; its write-ahead log is on another disk.

const MAX_WRITES = 1000; // more than fit into the free space inside the existing pages of the tables
const WRITES_ON_FULL_DISK = 20;
const START = 100_000;

let disk: SmallDisk;
let postgres: RunningPostgres;
let platform: TestPlatform;
let user: TestUser;

beforeAll(async () => {
  disk = await SmallDisk.mount(64);
  postgres = await startPostgres({ dataDir: testFolder('disk-full'), durable: false });
  await executeOnDatabase(
    postgres.url('postgres'),
    `create tablespace small location '${disk.folder('space')}'`,
  );
  await executeOnDatabase(postgres.url('postgres'), 'create database small tablespace small');
  platform = await startPlatform({
    settings: { DATABASE_URL: postgres.url('small'), WITHDRAWAL_DAILY_LIMIT: String(START) },
  });
  user = await platform.given.user().withBalance(`${START}.00`);
});
afterAll(async () => {
  await platform?.stop();
  await postgres?.stop();
  await disk?.unmount();
});

const withdraw = (key = randomUUID()) =>
  platform
    .as(user)
    .post(
      USER_WITHDRAWALS,
      { amount: '10.00', currency: 'USDC', toAddress: DESTINATION },
      { headers: { 'idempotency-key': key } },
    );

/** Asserts that exactly the acknowledged withdrawals exist. */
async function requireWithdrawals(count: number): Promise<void> {
  const { data } = await platform.as(user).get('/api/user/balance');
  expect(data).toMatchObject({ available: `${START - 10 * count}.00`, reserved: `${10 * count}.00` });
  const listed = await platform.as(user).get(`${USER_WITHDRAWALS}?limit=1`);
  expect(listed.body.pagination.total).toBe(count);
}

it('while the disk of the database is full, writes get 503 and leave nothing, and reads succeed; afterwards writes succeed without a restart', async () => {
  expect((await withdraw()).status).toBe(201);
  let acknowledged = 1;
  // Also publishes today's NAVs, because it reads the balance: this needs free space on the disk.
  await requireWithdrawals(acknowledged);
  disk.fill();

  let refused: Reply | undefined;
  for (let n = 0; n < MAX_WRITES && !refused; n++) {
    const reply = await withdraw();
    if (reply.status === 201) acknowledged += 1;
    else refused = reply;
  }
  expect(refused).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);

  const keys = Array.from({ length: WRITES_ON_FULL_DISK }, () => randomUUID());
  const replies = await Promise.all(keys.map((key) => withdraw(key)));
  const acknowledgedWhileFull = replies.filter(({ status }) => status === 201).length;
  for (const { status } of replies) expect([201, 503]).toContain(status);
  expect(acknowledgedWhileFull).toBeLessThan(WRITES_ON_FULL_DISK);
  await requireWithdrawals(acknowledged + acknowledgedWhileFull);
  for (const path of ['live', 'ready'])
    expect((await platform.as(null).get(`/api/health/${path}`)).status).toBe(200);

  disk.freeSpace();
  for (const reply of await Promise.all(keys.map((key) => withdraw(key)))) expect(reply.status).toBe(201);
  await requireWithdrawals(acknowledged + WRITES_ON_FULL_DISK);
  expect(await violatedInvariants(platform.dataSource)).toEqual([]);
  recordGuarantee(
    'G-12',
    `${WRITES_ON_FULL_DISK - acknowledgedWhileFull} writes refused, carried out once when space was free again`,
  );
});
