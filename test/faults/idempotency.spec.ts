import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { ApiProcess } from '../harness/api-process.js';
import { eventually } from '../harness/eventually.js';
import type { TestUser } from '../fixtures/given.js';
import { stubChainLookups } from '../fixtures/chain-lookup-stub.js';
import { writeDuringKills } from '../harness/writes-during-kills.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import {
  ADMIN_WITHDRAWALS,
  DESTINATION,
  unknownHash,
  USER_WITHDRAWALS,
  withdrawalSteps,
} from '../fixtures/withdrawals.js';
import { LOCK_WAITS } from '../harness/lock-waits.js';

// Requests with an idempotency key to two processes, to a process that is killed, and while the chain does not answer.

describe('With an Idempotency-Key, at two processes,', () => {
  const KILLS = 3;
  const USERS = 4;
  let platform: TestPlatform;
  let api: ApiProcess;

  beforeAll(async () => {
    platform = await startPlatform({ at: new Date().toISOString() }); // the child process has the real clock
    api = await ApiProcess.launch(platform.env);
    await api.waitUntilReady();
  });
  afterAll(async () => {
    await api.kill();
    await platform.stop();
  });

  const withdraw = (user: TestUser, key: string, baseUrl = api.url) =>
    platform
      .as(user, baseUrl)
      .post(
        USER_WITHDRAWALS,
        { amount: '10.00', currency: 'USDC', toAddress: DESTINATION },
        { headers: { 'idempotency-key': key } },
      );

  it('a request that one process carries out is refused if it is repeated at the other one, which later replays the response', async () => {
    const user = await platform.given.user().withBalance('100.00');
    const key = randomUUID();
    const holder = new pg.Client(platform.env.DATABASE_URL);
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from ledger_account where owner_id = $1 for update', [user.id]);

    const first = withdraw(user, key);
    await eventually(async () => {
      const waiting = await holder.query(LOCK_WAITS);
      expect(waiting.rowCount).toBeGreaterThan(0);
    });
    const second = await withdraw(user, key, platform.baseUrl); // while the first request waits for the lock
    await holder.query('rollback');
    await holder.end();

    expect(second).toMatchObject({ status: 409, code: 'IDEMPOTENCY_IN_PROGRESS' });
    const { status, data } = await first;
    expect(status).toBe(201);
    const retry = await withdraw(user, key, platform.baseUrl);
    expect([retry.status, retry.data.id]).toEqual([201, data.id]);
    expect(retry.headers.get('idempotency-replayed')).toBe('true');
  });

  it('parallel requests with the same key to both processes are carried out once', async () => {
    const user = await platform.given.user().withBalance('1000.00');
    for (let round = 0; round < 10; round++) {
      const key = randomUUID();
      const addresses = Array.from({ length: 10 }, (_, i) => (i % 2 ? api.url : platform.baseUrl));
      const replies = await Promise.all(addresses.map((baseUrl) => withdraw(user, key, baseUrl)));
      const ids = replies.filter(({ status }) => status === 201).map(({ data }) => data.id);
      expect(new Set(ids).size).toBe(1);
      const refused = replies.filter(({ status }) => status !== 201).map(({ code }) => code);
      expect(refused.every((code) => code === 'IDEMPOTENCY_IN_PROGRESS')).toBe(true);
    }
    const [{ count }] = await platform.dataSource.query(
      'select count(*)::int as count from withdrawal where user_id = $1',
      [user.id],
    );
    expect(count).toBe(10); // one per round
  });

  it('a request that has no response because of SIGKILL and is sent again is carried out exactly once', async () => {
    const users = await Promise.all(
      Array.from({ length: USERS }, () => platform.given.user().withBalance('20000.00')),
    );
    const attempts = await writeDuringKills(api, users, KILLS, (user, key) => withdraw(user, key));

    const answered = attempts.filter(({ id }) => id !== undefined);
    expect(answered.length).toBeLessThan(attempts.length);
    for (const attempt of attempts) {
      const retry = await withdraw(attempt.user, attempt.key);
      expect(retry.status).toBe(201);
      if (attempt.id) expect(retry.data.id).toBe(attempt.id);
    }
    const [counts] = await platform.dataSource.query(
      `select count(*)::int as withdrawals,
              (select count(*)::int from ledger_transaction as posted
                 join withdrawal as w on w.id::text = posted.reference_id
                where posted.type = 'withdrawal-requested' and w.user_id = any($1)) as postings,
              (select count(*)::int from idempotency_result where caller = any($2)) as results
         from withdrawal where user_id = any($1)`,
      [users.map(({ id }) => id), users.map(({ id }) => `user:${id}`)],
    );
    const expected = attempts.length; // each attempt has its own key
    expect(counts).toEqual({ withdrawals: expected, postings: expected, results: expected });
  });
});

describe('Requests with an Idempotency-Key that wait for a chain that does not answer', () => {
  const POOL = 2; // the minimum of DATABASE_POOL_SIZE
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform({
      settings: { DATABASE_POOL_SIZE: String(POOL), DEPOSIT_POLL_SECONDS: '3600' },
    });
  });
  afterAll(() => platform?.stop());

  it('hold no database connection, and a repeated request is refused as in progress', async () => {
    const steps = await withdrawalSteps(platform);
    const withdrawals: { id: string; ann: TestUser }[] = [];
    while (withdrawals.length < POOL) withdrawals.push(await steps.createProcessing());
    const requests = withdrawals.map(({ id }) => ({
      id,
      key: randomUUID(),
      body: { txHash: unknownHash() },
    }));
    const complete = ({ id, key, body }: (typeof requests)[number]) =>
      platform
        .as(steps.admin)
        .post(`${ADMIN_WITHDRAWALS}/${id}/complete`, body, { headers: { 'idempotency-key': key } });

    const chain = stubChainLookups(platform);
    let answered = 0;
    const first = requests.map((request) => complete(request).finally(() => (answered += 1)));
    await eventually(async () => expect(chain.lookups).toHaveBeenCalledTimes(POOL));
    const meanwhile = await Promise.all(withdrawals.map(({ ann }) => platform.as(ann).get(USER_WITHDRAWALS)));
    const second = await Promise.all(requests.map(complete));
    expect(answered).toBe(0);
    expect(meanwhile.map(({ status }) => status)).toEqual([200, 200]);
    for (const reply of second) expect(reply).toMatchObject({ status: 409, code: 'IDEMPOTENCY_IN_PROGRESS' });

    // Without an answer of the chain an operator still completes a withdrawal; its transaction is unverified.
    chain.timeOut();
    for (const reply of await Promise.all(first)) {
      expect(reply).toMatchObject({ status: 200, data: { status: 'completed' } });
    }
    for (const retry of await Promise.all(requests.map(complete))) {
      expect([retry.status, retry.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    }
    expect(chain.lookups).toHaveBeenCalledTimes(POOL); // the repeated requests caused no lookup
  });
});
