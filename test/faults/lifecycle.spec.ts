import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/sandbox/ports.js';
import { startPostgres } from '../../src/sandbox/postgres.js';
import { ApiProcess } from '../harness/api-process.js';
import { eventually } from '../harness/eventually.js';
import { sendRequest } from '../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { LOCK_WAITS } from '../harness/lock-waits.js';
import { testFolder } from '../harness/test-folder.js';

/** Sends a GET with keep-alive and returns the status. */
function get(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const interrupted = new Error('the response was interrupted');
    let hasBegun = false;
    const call = request(url, { agent }, (response) => {
      hasBegun = true;
      response.resume();
      response.once('close', () => reject(interrupted)); // no effect after `end`
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    call.once('error', (error) => reject(hasBegun ? interrupted : error));
    call.end();
  });
}

describe('The API process', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform?.stop());

  it('logs that it waits for the database, and starts when the database is available', async () => {
    const dataDir = testFolder('platform-late');
    const port = await freePort();
    const url = `postgres://postgres:sandbox@127.0.0.1:${port}/platform`;
    const api = await ApiProcess.launch({ ...platform.env, DATABASE_URL: url, LOG_LEVEL: 'info' });
    await eventually(async () => expect(api.output).toContain('waiting for the database'));
    const postgres = await startPostgres({ dataDir, port, durable: false });
    await api.waitUntilReady();
    expect(await api.terminate()).toBe(0);
    await postgres.stop();
  });

  it('lists all configuration errors at once and does not start', async () => {
    const invalid = {
      ...platform.env,
      RPC_URL: 'nowhere',
      CHAIN_ID: 'one',
      JWT_USER_SECRET: 'brief-secret',
      ADMINS_FILE: '',
    };
    const api = await ApiProcess.launch(invalid);
    expect(await api.waitForExit()).toBe(1);
    for (const name of ['RPC_URL', 'CHAIN_ID', 'JWT_USER_SECRET', 'ADMINS_FILE'])
      expect(api.output).toContain(name);
    expect(api.output).not.toContain('brief-secret'); // the value of a secret is not printed
  });

  it('ends on SIGTERM under load without interrupting a response', async () => {
    const api = await ApiProcess.launch({ ...platform.env, SHUTDOWN_SECONDS: '300' }); // longer than the test
    await api.waitUntilReady();
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const statuses: number[] = [];
    const errors: string[] = [];
    let running = true;
    const clients = Array.from({ length: 8 }, async () => {
      while (running) {
        await get(`${api.url}/api/ping`, agent).then(
          (status) => statuses.push(status),
          (error: NodeJS.ErrnoException) => {
            errors.push(error.code ?? error.message);
            return sleep(20);
          },
        );
      }
    });
    await eventually(async () => expect(statuses.length).toBeGreaterThan(100));

    expect(await api.terminate()).toBe(0);
    running = false;
    await Promise.all(clients);
    agent.destroy();
    expect(new Set(statuses)).toEqual(new Set([200]));
    // With these codes the server refused the connection or closed it before a response began.
    expect(errors.filter((code) => !['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(code))).toEqual([]);
  });

  it('ends SHUTDOWN_SECONDS after SIGTERM even if a request is still running', async () => {
    const api = await ApiProcess.launch({ ...platform.env, SHUTDOWN_SECONDS: '1', REQUEST_SECONDS: '300' });
    await api.waitUntilReady();
    const { port } = new URL(api.url);
    const endless = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    endless.write(
      'POST /api/auth/logout HTTP/1.1\r\nHost: here\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n',
    );
    const [response] = (await once(endless, 'data')) as [Buffer];
    expect(response.toString()).toMatch(/^HTTP\/1.1 100 /); // the server waits for the body
    expect(await api.terminate()).toBe(0);
    endless.destroy();
  });

  it('logs the port that it has chosen for PORT=0, and where the providers send their callbacks', async () => {
    const settings = { PORT: '0', LOG_LEVEL: 'info', CALLBACK_URL: 'https://callbacks.example.com' };
    const api = await ApiProcess.launch({ ...platform.env, ...settings });
    await eventually(async () => expect(api.output).toContain('listening on port'));
    const [, port] = /listening on port (\d+)/.exec(api.output) ?? [];
    expect((await sendRequest(`http://127.0.0.1:${port}/api/ping`)).status).toBe(200);
    expect(api.output).toContain('"callbackUrl":"https://callbacks.example.com"');
    expect(api.output).toContain('"/api/webhooks/crypto2b/deposit"');
    expect(await api.terminate()).toBe(0);
  });

  it.each(['SIGTERM', 'SIGQUIT'] as const)(
    'finishes a request that runs at SIGHUP and %s, and closes its connection',
    async (signal) => {
      const api = await ApiProcess.launch({ ...platform.env, SHUTDOWN_SECONDS: '300' });
      await api.waitUntilReady();
      const user = await platform.given.user().withBalance('100.00');
      const lock = platform.dataSource.createQueryRunner();
      await lock.startTransaction();
      await lock.query('select 1 from ledger_account where owner_id = $1 for update', [user.id]);
      const answer = platform.as(user, api.url).post('/api/user/withdrawals', {
        amount: '10.00',
        currency: 'USDC',
        toAddress: `0x${'a'.repeat(40)}`,
      });
      await eventually(async () => {
        const waiting = await platform.dataSource.query(LOCK_WAITS);
        expect(waiting).not.toHaveLength(0);
      });
      api.signal('SIGHUP');
      expect((await sendRequest(`${api.url}/api/ping`)).status).toBe(200);
      api.signal(signal);
      const exitCode = api.waitForExit();
      await eventually(async () => {
        await expect(sendRequest(`${api.url}/api/ping`)).rejects.toThrow(); // accepts no new connections
      });
      await lock.rollbackTransaction();
      await lock.release();
      const reply = await answer;
      expect([reply.status, reply.headers.get('connection')]).toEqual([201, 'close']);
      expect(await exitCode).toBe(0);
    },
  );
});
