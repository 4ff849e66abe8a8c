import type { Server } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { promisify } from 'node:util';
import type { AppConfig } from '../../../src/config/app-config.js';
import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { GracefulShutdown } from '../../../src/http/resilience/graceful-shutdown.js';
import { ConnectionsService } from '../../../src/modules/messaging/live/connections.service.js';
import {
  CLOSE,
  MAX_BUFFERED_BYTES,
  MAX_MESSAGE_BYTES,
} from '../../../src/modules/messaging/live/live.types.js';
import { disableAdmin, listAdmin } from '../../fixtures/listed-admins.js';
import { liveSteps, type LiveSteps } from '../../fixtures/live.js';
import { eventually } from '../../harness/eventually.js';
import { refusedUpgrade, type LiveClient, type Refusal } from '../../harness/live-client.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import { HIGH_RATE_LIMITS, startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica, startReplicaWithoutPort } from '../../harness/replica.js';

/** The code of RFC 6455 with which the WebSocket library itself closes the connection. */
const MESSAGE_TOO_BIG = 1009;
/** The default of LIVE_CONNECTIONS_PER_USER. */
const CONNECTIONS_PER_USER = 5;
/** More bytes than an event has without its title and message. */
const EVENT_OVERHEAD_BYTES = 12 * 1024;

describe('Bounded live delivery', () => {
  let platform: TestPlatform;
  let steps: LiveSteps;
  let url: string;

  beforeAll(async () => {
    platform = await startPlatform();
    steps = liveSteps(platform);
    url = `${platform.baseUrl}/api/live`;
  });
  afterEach(() => steps.endAll());
  afterAll(() => platform?.stop());

  const connectionOf = ({ id }: { id: string }) =>
    [...platform.app.get(ConnectionsService).connectionsOf('user', id)][0];

  it('closes with 1008 when the client sends any message, and with 1009 when the message is longer than 1024 bytes', async () => {
    const user = await platform.given.user();
    const [brief, lengthy] = [
      await steps.connect({ token: user.token }),
      await steps.connect({ token: user.token }),
    ];
    brief.socket.send('hello');
    lengthy.socket.send('x'.repeat(MAX_MESSAGE_BYTES + 1));
    expect(await brief.closedWith()).toBe(CLOSE.messageSent.code);
    expect(await lengthy.closedWith()).toBe(MESSAGE_TOO_BIG);
  });

  it('closes with 4429 the oldest connection of a user when the user opens a sixth one', async () => {
    const [user, other] = [await platform.given.user(), await platform.given.user()];
    const ofOtherUser = await steps.connect({ token: other.token });
    const oldest = await steps.connect({ token: user.token });
    const newer: LiveClient[] = [];
    for (let count = 0; count < CONNECTIONS_PER_USER; count++)
      newer.push(await steps.connect({ token: user.token }));
    expect(await oldest.closedWith()).toBe(CLOSE.replaced.code);
    for (const client of newer) await steps.flush(user, client);
    await steps.flush(other, ofOtherUser);
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
    await eventually(async () => {
      await steps.connect({ ticket }, replica); // the refusal has not used up the ticket
    });
  });

  it('closes with 1013 a connection whose client does not read, and bounds its buffer [SEC-163]', async () => {
    const [slow, quick] = [await platform.given.user(), await platform.given.user()];
    const stalled = await steps.connect({ token: slow.token });
    const reading = await steps.connect({ token: quick.token });
    stalled.socket.pause();
    const textBytes = 64 * 1024;
    const connection = connectionOf(slow);
    // The kernel buffers some megabytes, which 400 events exceed. Then the buffer of the connection grows to its limit, and the
    // next event closes the connection.
    for (let count = 0; count < 400 && connection?.isOpen; count++)
      await steps.notify(slow, `${count} ${'x'.repeat(textBytes)}`);
    await eventually(async () => expect(connection?.isOpen).toBe(false));
    // An event has the text twice, as title and message. It is sent if the buffer does not exceed its limit before.
    expect(connection?.bufferedBytes).toBeLessThan(MAX_BUFFERED_BYTES + 2 * textBytes + EVENT_OVERHEAD_BYTES);
    stalled.socket.resume();
    expect(await stalled.closedWith()).toBe(CLOSE.tooSlow.code);
    await steps.flush(quick, reading);
  });

  it('closes with 1013 a connection that answers no ping in time, and keeps one that answers', async () => {
    const app = await startReplicaWithoutPort(platform);
    const { timings } = app.get(ConnectionsService);
    expect(timings).toEqual({ pingEveryMs: 30_000, pongWithinMs: 60_000 });
    Object.assign(timings, { pingEveryMs: 50, pongWithinMs: 600 }); // shorter, to not wait for a minute
    await app.listen(0, '127.0.0.1');
    const replica = await app.getUrl();
    const user = await platform.given.user();
    const silent = await steps.connect({ token: user.token, socket: { autoPong: false } as object }, replica);
    const answering = await steps.connect({ token: user.token }, replica);
    expect(await silent.closedWith()).toBe(CLOSE.noPong.code);
    await steps.flush(user, answering);
    expect(answering.closed).toBeUndefined();
  });

  it('closes with 1012 when the process shuts down, and then accepts no connection', async () => {
    const app = await startReplicaWithoutPort(platform);
    await app.listen(0, '127.0.0.1');
    const replica = await app.getUrl();
    const user = await platform.given.user();
    const client = await steps.connect({ token: user.token }, replica);
    const deadlineSeconds = 5; // not reached, since the client closes its side
    await app.get(GracefulShutdown).drain(app.getHttpServer(), deadlineSeconds);
    expect(await client.closedWith()).toBe(CLOSE.restart.code);
    await expect(refusedUpgrade(`${replica}/api/live`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('refuses with 503 an upgrade that waits for the database when the shutdown begins, and the shutdown ends', async () => {
    const app = await startReplicaWithoutPort(platform);
    await app.listen(0, '127.0.0.1');
    const user = await platform.given.user();
    const ticket = await steps.ticketOf(user);
    const { refusal, drained } = await platform.dataSource.transaction(async (tx) => {
      await tx.query('select from live_ticket for update');
      const refusal = refusedUpgrade(`${await app.getUrl()}/api/live?ticket=${ticket}`);
      await eventually(async () => expect(await platform.dataSource.query(LOCK_WAITS)).toHaveLength(1));
      return { refusal, drained: app.get(GracefulShutdown).drain(app.getHttpServer(), 60) };
    });
    expect(await refusal).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    await drained;
  });

  it('closes with 4401 when the token expires', async () => {
    const user = await platform.given.user();
    const client = await steps.connect({ token: user.token });
    Object.assign(connectionOf(user)?.owner as object, { expiresAt: new Date() });
    expect(await client.closedWith()).toBe(CLOSE.sessionEnded.code);
  });

  describe('closes with 4401 the connections of a session on every process', () => {
    let replica: string;

    beforeAll(async () => {
      replica = await startReplica(platform, {});
    });

    const connectToBoth = async (caller: { token: string }) => [
      await steps.connect({ token: caller.token }),
      await steps.connect({ token: caller.token }, replica),
    ];
    const waitForSessionEnd = async (clients: LiveClient[]) => {
      for (const client of clients) expect(await client.closedWith()).toBe(CLOSE.sessionEnded.code);
    };

    it('after a sign-out, and keeps those of other sessions open [SEC-164]', async () => {
      const user = await platform.given.user();
      const otherSession = await platform.given.user(user.email);
      const ended = await connectToBoth(user);
      const ofOtherSession = await steps.connect({ token: otherSession.token });
      await platform.as(user).post('/api/auth/logout');
      await waitForSessionEnd(ended);
      await steps.flush(user, ofOtherSession);
    });

    it('after the status of the user was set to suspended', async () => {
      const user = await platform.given.user();
      const clients = await connectToBoth(user);
      await platform.dataSource.query(`update platform_user set status = 'suspended' where id = $1`, [
        user.id,
      ]);
      await waitForSessionEnd(clients);
    });

    it('after the admin was disabled in ADMINS_FILE', async () => {
      await listAdmin(platform, 'leaving@example.com');
      const admin = await platform.given.admin('leaving');
      const clients = [
        await steps.connect({ token: admin.token }),
        await eventually(() => steps.connect({ token: admin.token }, replica)), // once it has read ADMINS_FILE again
      ];
      disableAdmin(platform, 'leaving@example.com');
      await waitForSessionEnd(clients);
    });

    // A process that receives no notifications checks all connections twice a second, and once when it receives them again.
    it('after a sign-out whose notification is lost because the database connection for notifications has ended', async () => {
      const user = await platform.given.user();
      const clients = await connectToBoth(user);
      await platform.dataSource.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name like '%notices'`,
      );
      await platform.as(user).post('/api/auth/logout');
      await waitForSessionEnd(clients);
    });
  });

  describe('has rate limits that', () => {
    const LIMITS = { RATE_LIMIT_USER: 2, RATE_LIMIT_PUBLIC: 3 } as Partial<AppConfig>;
    const PUBLIC_ROUTE = '/api/blockchain/websocket/status';
    let replica: string;

    beforeEach(async () => {
      replica = await startReplica(platform, LIMITS);
    });

    const refusals = async (count: number, path: string, headers = {}): Promise<Refusal[]> => {
      const refused: Refusal[] = [];
      while (refused.length < count) refused.push(await refusedUpgrade(`${replica}${path}`, headers));
      return refused;
    };
    const codesOf = (refused: Refusal[]) => refused.map(({ code }) => code);

    it('count the upgrades of a user in the class of users, also those above the limit', async () => {
      const user = await platform.given.user();
      const first = await steps.connect({ token: user.token }, replica);
      expect(first.headers).toMatchObject({ 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1' });
      await steps.connect({ token: user.token }, replica);
      const refused = await refusals(2, '/api/live', { authorization: `Bearer ${user.token}` });
      expect(codesOf(refused)).toEqual(['RATE_LIMIT_EXCEEDED', 'RATE_LIMIT_EXCEEDED']);
      const { headers } = await platform.as(null, replica).get(PUBLIC_ROUTE);
      expect(headers.get('x-ratelimit-remaining')).toBe('2'); // of 3: only this request counts as one without a token
    });

    it('count upgrades with an invalid ticket together with HTTP requests without a token [SEC-165]', async () => {
      const refused = await refusals(4, '/api/live?ticket=guess');
      const invalid = Array.from({ length: 3 }, () => 'TOKEN_INVALID');
      expect(codesOf(refused)).toEqual([...invalid, 'RATE_LIMIT_EXCEEDED']);
      expect(Number(refused[3]?.headers['retry-after'])).toBeGreaterThan(0);
      expect((await platform.as(null, replica).get(PUBLIC_ROUTE)).code).toBe('RATE_LIMIT_EXCEEDED');
    });
  });

  describe('after a client has closed its connection during the handshake', () => {
    const sendUpgrade = (path: string) => {
      const { hostname, port } = new URL(url);
      const socket = connectTcp({ host: hostname, port: Number(port) });
      const lines = [
        `GET ${path} HTTP/1.1`,
        'Host: x',
        'Upgrade: websocket',
        'Connection: Upgrade',
        'Sec-WebSocket-Version: 13',
        `Sec-WebSocket-Key: ${'a'.repeat(22)}==`,
      ];
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      return socket;
    };

    /** Resolves when the service has handled an upgrade whose client was gone before the service could answer. */
    async function leaveDuringHandshake(): Promise<void> {
      const ticket = await steps.ticketOf(await platform.given.user());
      const server = platform.app.getHttpServer() as Server;
      const countSockets = () => promisify(server.getConnections.bind(server))();
      const connections = platform.app.get(ConnectionsService);
      await platform.app.get(UnitOfWork).runInNewTransaction(async (tx) => {
        await tx.query('select from live_ticket for update'); // the upgrade waits until it can use its ticket, the only one
        const socket = sendUpgrade(`/api/live?ticket=${ticket}`);
        await eventually(async () => expect(await platform.dataSource.query(LOCK_WAITS)).toHaveLength(1));
        expect(connections.isInUse).toBe(true);
        const open = await countSockets();
        socket.resetAndDestroy(); // the server keeps a socket whose client only ends its own side
        await eventually(async () => expect(await countSockets()).toBe(open - 1));
      });
      await eventually(async () => expect(connections.isInUse).toBe(false));
      expect(await platform.dataSource.query('select from live_ticket')).toEqual([]);
    }

    it('counts no connection as open, and connects the next client', async () => {
      await leaveDuringHandshake();
      const user = await platform.given.user();
      await steps.connect({ token: user.token });
      expect(platform.app.get(ConnectionsService).count).toBe(1);
    });

    it('sends the next client only its own headers', async () => {
      await leaveDuringHandshake();
      const user = await platform.given.user();
      const { headers } = await steps.connect({ token: user.token });
      // A header that was sent twice has both values, separated by a comma.
      expect(headers['x-ratelimit-limit']).toBe(HIGH_RATE_LIMITS.RATE_LIMIT_USER);
    });
  });
});
