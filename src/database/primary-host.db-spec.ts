import pg from 'pg';
import type { DataSource } from 'typeorm';
import { freePort } from '../sandbox/ports.js';
import { eventually } from '../../test/harness/eventually.js';
import { TcpProxy } from '../../test/harness/tcp-proxy.js';
import { startReplicatedPostgres, type ReplicatedPostgres } from '../../test/harness/standby.js';
import { openDatabase } from './data-source.js';
import { PREPARING } from './prepared.js';
import { PrimaryHost } from './primary-host.js';
import { SessionClient } from './session-settings.js';

describe('An address with several hosts', () => {
  let pair: ReplicatedPostgres;

  beforeEach(async () => {
    pair = await startReplicatedPostgres(async () => undefined);
  });
  afterEach(() => pair?.remove());

  const addressOf = (ports: readonly number[]) =>
    pair.primary
      .url('postgres')
      .replace(/127\.0\.0\.1:\d+/, ports.map((port) => `127.0.0.1:${port}`).join(','));
  const promote = async () => {
    const onStandby = new SessionClient(pair.standby.url('postgres'));
    await onStandby.connect();
    await onStandby.query('select pg_promote(true)');
    await onStandby.end();
  };
  const portAt = async (dataSource: DataSource) =>
    (await dataSource.query<[{ port: number }]>('select inet_server_port() as port'))[0].port;

  it('leads to the host that accepts writes, also after that has failed and another one was promoted', async () => {
    const { primary, standby } = pair;
    const url = addressOf([await freePort(), standby.port, primary.port]); // nothing listens at the first one
    const options = { type: 'postgres', url, poolSize: 2, extra: PREPARING } as const;
    const dataSource = await openDatabase(options, () => undefined, { migrate: false });
    expect(await portAt(dataSource)).toBe(primary.port);

    await primary.stop();
    await promote();

    await eventually(async () => expect(await portAt(dataSource)).toBe(standby.port));
    await dataSource.query('create table accepted ()');
    await dataSource.destroy();
  });

  it('leads to another host when the former one has vanished without ending a connection', async () => {
    const { primary, standby } = pair;
    const proxy = await TcpProxy.startFor(primary.url('postgres'));
    const url = addressOf([Number(new URL(proxy.url).port), standby.port]);
    const extra = { ...PREPARING, silenceMs: 2000, connectionTimeoutMillis: 10_000 };
    const options = { type: 'postgres', url, poolSize: 2, extra } as const;
    const dataSource = await openDatabase(options, () => undefined, { migrate: false });
    await Promise.all([portAt(dataSource), portAt(dataSource)]); // opens both connections of the pool

    proxy.stall();
    await promote();
    await expect(portAt(dataSource)).rejects.toThrow('the server is silent');
    await eventually(async () =>
      expect(await Promise.all([portAt(dataSource), portAt(dataSource)])).toEqual([
        standby.port,
        standby.port,
      ]),
    );
    await dataSource.destroy();
    await proxy.close();
  });

  it('keeps connections by another address of the primary that answers late, and closes those to a standby', async () => {
    const { primary, standby } = pair;
    const late = await TcpProxy.startFor(primary.url('postgres'));
    const ports = [primary.port, Number(new URL(late.url).port), standby.port];
    const hosts = PrimaryHost.of(addressOf(ports)) as PrimaryHost;
    const [onPrimary, byLate, onStandby] = await Promise.all(
      ports.map(async (port) => {
        const client = new pg.Client(addressOf([port]));
        client.on('error', () => undefined);
        await client.connect();
        hosts.closeWhenReplaced(client);
        return client;
      }),
    );
    const closed = new Promise<void>((resolve) => onStandby?.once('end', resolve)); // `once` of node would throw the error before it
    late.delayMs = 50; // of each chunk, so that the answer to the probe takes almost half a second
    expect(await hosts.find()).toMatchObject({ port: primary.port });
    await closed;
    for (let query = 0; query < 8; query++) await byLate?.query('select'); // until after that answer
    await onPrimary?.query('select');
    await Promise.all([onPrimary?.end(), byLate?.end()]);
    await late.close();
  });

  it('still leads to a primary that has too many clients, without another search', async () => {
    const { primary, standby } = pair;
    const owner = new pg.Client(primary.url('postgres'));
    await owner.connect();
    await owner.query(`create role few login password 'few' connection limit 4`);
    await owner.end();
    const address = addressOf([primary.port, standby.port]).replace(/\/\/[^@]*@/, '//few:few@');
    const clients: SessionClient[] = [];
    const connectMore = async () => {
      for (;;) {
        const client = new SessionClient(address);
        client.on('error', () => undefined);
        await client.connect();
        clients.push(client);
      }
    };
    const hosts = PrimaryHost.of(address) as PrimaryHost;
    const found = hosts.find();
    await found;
    await expect(connectMore()).rejects.toMatchObject({ code: '53300' });
    expect(hosts.find()).toBe(found);
    await clients[0]?.query('select');
    await Promise.all(clients.map((client) => client.end()));
  });
});
