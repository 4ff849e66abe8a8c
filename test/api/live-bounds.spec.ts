import type { Server } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { promisify } from 'node:util';
import type { AppConfig } from '../../src/config/app-config.js';
import { UnitOfWork } from '../../src/database/unit-of-work.js';
import { GracefulShutdown } from '../../src/http/resilience/graceful-shutdown.js';
import { ConnectionsService } from '../../src/modules/live/connections.service.js';
import { MAX_BUFFERED_BYTES } from '../../src/modules/live/live.constants.js';
import { disableAdmin, listAdmin } from '../fixtures/listed-admins.js';
import { liveSteps, type LiveSteps } from '../fixtures/live.js';
import { eventually } from '../harness/eventually.js';
import { refusedUpgrade, type LiveClient, type Refusal } from '../harness/live-client.js';
import { LOCK_WAITS } from '../harness/lock-waits.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { startReplica, startReplicaWithoutPort } from '../harness/replica.js';

describe('The bounds of live delivery', () => {
  let platform: TestPlatform;
  let steps: LiveSteps;
  let url: string;

  beforeAll(async () => {
    platform = await startPlatform();
    steps = liveSteps(platform);
    url = `${platform.baseUrl}/api/live`;
  });
  afterEach(() => steps.endAll());
  afterAll(() => platform.stop());

  it('closes a connection whose client sends a message with 1008, and one that sends too much with 1009', async () => {
    const user = await platform.given.user();
    const [talking, flooding] = [
      await steps.connect({ token: user.token }),
      await steps.connect({ token: user.token }),
    ];
    talking.socket.send('hello');
    flooding.socket.send('x'.repeat(1025));
    expect(await talking.closedWith()).toBe(1008);
    expect(await flooding.closedWith()).toBe(1009);
  });

  it('closes the oldest connection of a user with 4429 when a sixth one opens', async () => {
    const [user, other] = [await platform.given.user(), await platform.given.user()];
    const clients: LiveClient[] = [];
    const control = await steps.connect({ token: other.token });
    for (let count = 0; count < 6; count++) clients.push(await steps.connect({ token: user.token }));
    expect(await clients[0]?.closedWith()).toBe(4429);
    await steps.flush(user, clients[5] as LiveClient);
    for (const client of [...clients.slice(1), control]) expect(client.closed).toBeUndefined();
  });

  it('refuses connections above LIVE_CONNECTIONS with 503 and Retry-After, and serves HTTP requests', async () => {
    const user = await platform.given.user();
    const replica = await startReplica(platform, {
      LIVE_CONNECTIONS: 2,
      CONNECTIONS_AT_ONCE: 10,
    } as Partial<AppConfig>);
    const first = await steps.connect({ token: user.token }, replica);
    await steps.connect({ token: user.token }, replica);
    const ticket = await steps.ticketOf(user);
    const refusal = await refusedUpgrade(`${replica}/api/live?ticket=${ticket}`);
    expect(refusal).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(0);
    expect((await platform.as(user, replica).get('/api/user/notifications')).status).toBe(200);
    await first.end();
    await eventually(async () => void (await steps.connect({ ticket }, replica))); // the refusal did not use it up
  });

  it('closes a connection that leaves messages unread with 1013 and keeps its buffer bounded [SEC-163]', async () => {
    const [slow, quick] = [await platform.given.user(), await platform.given.user()];
    const stalled = await steps.connect({ token: slow.token });
    const control = await steps.connect({ token: quick.token });
    stalled.socket.pause();
    const text = 'x'.repeat(64 * 1024);
    const [server] = [...platform.app.get(ConnectionsService).connectionsOf('user', slow.id)];
    // The kernel buffers some megabytes; then the buffer of the connection grows, and the next message closes it.
    for (let count = 0; count < 400 && server?.isOpen; count++) await steps.notify(slow, `${count} ${text}`);
    await eventually(async () => expect(server?.isOpen).toBe(false));
    expect(server?.bufferedBytes).toBeLessThan(MAX_BUFFERED_BYTES + 2 * 70 * 1024);
    stalled.socket.resume();
    expect(await stalled.closedWith()).toBe(1013);
    await steps.flush(quick, control);
  });

  it('pings every 30 seconds, and closes a connection after 60 seconds without a pong', () => {
    const { timings } = platform.app.get(ConnectionsService);
    expect(timings).toEqual({ pingEveryMs: 30_000, pongWithinMs: 60_000 });
  });

  it('closes a connection without pongs with 1013, and keeps those that answer', async () => {
    const app = await startReplicaWithoutPort(platform);
    Object.assign(app.get(ConnectionsService).timings, { pingEveryMs: 50, pongWithinMs: 600 });
    await app.listen(0, '127.0.0.1');
    const replica = await app.getUrl();
    const user = await platform.given.user();
    const silent = await steps.connect({ token: user.token, socket: { autoPong: false } as object }, replica);
    const answering = await steps.connect({ token: user.token }, replica);
    expect(await silent.closedWith()).toBe(1013);
    await steps.flush(user, answering);
    expect(answering.closed).toBeUndefined();
  });

  it('ends connections with 1012 at the shutdown of a process, which then accepts none', async () => {
    const app = await startReplicaWithoutPort(platform);
    await app.listen(0, '127.0.0.1');
    const replica = await app.getUrl();
    const user = await platform.given.user();
    const client = await steps.connect({ token: user.token }, replica);
    await app.get(GracefulShutdown).drain(app.getHttpServer(), 5);
    expect(await client.closedWith()).toBe(1012);
    await expect(refusedUpgrade(`${replica}/api/live`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('closes a connection with 4401 when its token expires', async () => {
    const user = await platform.given.user();
    const client = await steps.connect({ token: user.token });
    const [server] = [...platform.app.get(ConnectionsService).connectionsOf('user', user.id)];
    Object.assign(server?.owner as object, { expiresAt: new Date() });
    expect(await client.closedWith()).toBe(4401);
  });

  describe('The end of a session closes its connections with 4401 on every process', () => {
    let replica: string;

    beforeAll(async () => {
      replica = await startReplica(platform, {});
    });

    const connectToBoth = async (caller: { token: string }) => [
      await steps.connect({ token: caller.token }),
      await steps.connect({ token: caller.token }, replica),
    ];
    const codesOf = (clients: LiveClient[]) => Promise.all(clients.map((client) => client.closedWith()));

    it('after a sign-out, and connections of other sessions stay open [SEC-164]', async () => {
      const user = await platform.given.user();
      const otherSession = await platform.given.user(user.email);
      const ended = await connectToBoth(user);
      const ofOtherSession = await steps.connect({ token: otherSession.token });
      await platform.as(user).post('/api/auth/logout');
      expect(await codesOf(ended)).toEqual([4401, 4401]);
      await steps.flush(user, ofOtherSession);
      expect(ofOtherSession.closed).toBeUndefined();
    });

    it('after a suspension of the user', async () => {
      const user = await platform.given.user();
      const clients = await connectToBoth(user);
      await platform.dataSource.query(`update platform_user set status = 'suspended' where id = $1`, [
        user.id,
      ]);
      expect(await codesOf(clients)).toEqual([4401, 4401]);
    });

    it('after the admin was disabled in ADMINS_FILE', async () => {
      await listAdmin(platform, 'leaving@example.com');
      const admin = await platform.given.admin('leaving');
      const clients = await eventually(() => connectToBoth(admin)); // the replica reads ADMINS_FILE later
      disableAdmin(platform, 'leaving@example.com');
      expect(await codesOf(clients)).toEqual([4401, 4401]);
    });

    it('while notifications between processes are interrupted', async () => {
      const user = await platform.given.user();
      const clients = await connectToBoth(user);
      await platform.dataSource.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name like '%notices'`,
      );
      await platform.as(user).post('/api/auth/logout');
      expect(await codesOf(clients)).toEqual([4401, 4401]);
    });
  });

  describe('Upgrades count against rate limits', () => {
    it('in the class of the caller, and refused ones in the class of requests without a token [SEC-165]', async () => {
      const limits = { RATE_LIMIT_USER: 2, RATE_LIMIT_PUBLIC: 3 } as Partial<AppConfig>;
      const replica = await startReplica(platform, limits);
      const user = await platform.given.user();
      const first = await steps.connect({ token: user.token }, replica);
      expect(first.headers).toMatchObject({ 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1' });
      await steps.connect({ token: user.token }, replica);
      const authorization = `Bearer ${user.token}`;
      const live = `${replica}/api/live`;
      const codes: (string | undefined)[] = [];
      for (let count = 0; count < 2; count++)
        codes.push((await refusedUpgrade(live, { authorization })).code);
      expect(codes).toEqual(['RATE_LIMIT_EXCEEDED', 'RATE_LIMIT_EXCEEDED']);
      const refusals: Refusal[] = [];
      for (let count = 0; count < 4; count++) refusals.push(await refusedUpgrade(`${live}?ticket=guess`));
      const invalid = Array.from({ length: 3 }, () => 'TOKEN_INVALID');
      expect(refusals.map(({ code }) => code)).toEqual([...invalid, 'RATE_LIMIT_EXCEEDED']);
      expect(refusals[3]?.headers['retry-after']).toBeDefined();
      expect((await platform.as(null, replica).get('/api/blockchain/websocket/status')).code).toBe(
        'RATE_LIMIT_EXCEEDED',
      );
    });
  });

  describe('After a connection that its client closed during the handshake', () => {
    const UPGRADE = 'HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n';
    const openTcp = (path: string, headers = '') => {
      const { hostname, port } = new URL(url);
      const socket = connectTcp({ host: hostname, port: Number(port) });
      socket.write(`GET ${path} ${UPGRADE}${headers}\r\n`);
      return socket;
    };

    it('the next client is admitted', async () => {
      openTcp('/api/live').destroy();
      const user = await platform.given.user();
      await steps.connect({ token: user.token });
      expect(platform.app.get(ConnectionsService).count).toBe(1);
    });

    it('the next client does not receive the headers of the closed one', async () => {
      const [leaving, staying] = [await platform.given.user(), await platform.given.user()];
      const server = platform.app.getHttpServer() as Server;
      const countSockets = () => promisify(server.getConnections.bind(server))();
      const ticket = await steps.ticketOf(leaving);
      await platform.app.get(UnitOfWork).runInNewTransaction(async (tx) => {
        await tx.query('select from live_ticket for update'); // the upgrade waits for its ticket
        const key = `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'a'.repeat(22)}==\r\n`;
        const socket = openTcp(`/api/live?ticket=${ticket}`, key);
        await eventually(async () => expect(await platform.dataSource.query(LOCK_WAITS)).toHaveLength(1));
        const open = await countSockets();
        socket.resetAndDestroy();
        await eventually(async () => expect(await countSockets()).toBe(open - 1));
      });
      await eventually(async () =>
        expect(await platform.dataSource.query('select from live_ticket')).toHaveLength(0),
      );
      const { headers } = await steps.connect({ token: staying.token });
      expect(headers['x-ratelimit-limit']).toMatch(/^\d+$/);
    });
  });
});
