import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startOutsideWorld, type OutsideWorld } from '../../../src/sandbox/outside-world.js';
import { PLATFORM_DATABASE, startPostgres, type RunningPostgres } from '../../../src/sandbox/postgres.js';
import { ApiProcess } from '../../harness/api-process.js';
import { HIGH_RATE_LIMITS } from '../../harness/platform.js';
import { TcpProxy } from '../../harness/tcp-proxy.js';
import { testFolder } from '../../harness/test-folder.js';

const SETTINGS = {
  NODE_ENV: 'test',
  LOG_LEVEL: 'error',
  ...HIGH_RATE_LIMITS,
  DATABASE_POOL_SIZE: '10',
  DATABASE_STATEMENT_MS: '2500',
  DEPOSIT_POLL_SECONDS: '1',
  INVESTMENT_APPROVAL_THRESHOLD: '800',
  WITHDRAWAL_FOUR_EYES_ABOVE: '300',
  WITHDRAWAL_DAILY_LIMIT: '1000000',
};

/** One of the API's processes, and the door between it and the database. */
export interface Replica {
  readonly api: ApiProcess;
  readonly door: TcpProxy;
}

/**
 * What is broken: a PostgreSQL of its own that keeps what it has committed, two processes of the API, each with a door
 * to it, a chain and the providers.
 */
export class World {
  /** Where the providers send their callbacks. */
  private readonly address: { url: string };
  private constructor(
    private readonly folder: string,
    private postgres: RunningPostgres,
    readonly outside: OutsideWorld,
    readonly replicas: readonly [Replica, Replica],
    address: { url: string },
  ) {
    this.address = address;
  }

  static async start(): Promise<World> {
    const folder = testFolder('endurance');
    const postgres = await startPostgres({ dataDir: join(folder, 'postgres') });
    const databaseUrl = postgres.url(PLATFORM_DATABASE);
    const address = { url: '' };
    const outside = await startOutsideWorld({
      dataDir: folder,
      api: address,
      blockIntervalMs: 50,
      environment: { DATABASE_URL: databaseUrl },
    });
    const replica = async (): Promise<Replica> => {
      const door = await TcpProxy.startFor(databaseUrl);
      const api = await ApiProcess.launch({ ...outside.env, ...SETTINGS, DATABASE_URL: door.url });
      await api.waitUntilReady(); // one after the other: the first brings the schema up to date
      return { door, api };
    };
    const world = new World(folder, postgres, outside, [await replica(), await replica()], address);
    world.sendCallbacksTo(0);
    return world;
  }

  sendCallbacksTo(which: 0 | 1): void {
    this.address.url = this.replicas[which].api.url;
  }

  get databaseUrl(): string {
    return this.postgres.url(PLATFORM_DATABASE);
  }

  /** Past the doors. */
  async query<Row extends pg.QueryResultRow>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client(this.databaseUrl);
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(sql, parameters)).rows;
    } finally {
      await client.end();
    }
  }

  /** Ends PostgreSQL by this signal, waits, and starts it again; resolves when it answers. */
  async restartDatabase(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL', pauseMs: number): Promise<void> {
    const dataDir = join(this.folder, 'postgres');
    const [pid] = readFileSync(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(pid), signal);
    await this.postgres.exited;
    await sleep(pauseMs);
    const { port } = this.postgres;
    for (;;) {
      try {
        this.postgres = await startPostgres({ dataDir, port });
        return;
      } catch (error) {
        // what a killed postmaster leaves behind ends by itself, and keeps the next one out until it has
        if (!/shared memory|could not bind/.test((error as Error).message)) throw error;
        await sleep(100);
      }
    }
  }

  /** Every fault is over, and everything runs. */
  async calm(): Promise<void> {
    for (const party of ['deposit', 'custody', 'identity', 'chain'] as const)
      await this.outside.providers.endFault(party);
    for (const { api } of this.replicas) await api.waitUntilReady();
  }

  /** What the API has written, to be shown when a run fails. */
  output(): string {
    return this.replicas.map(({ api }) => api.output.slice(-5000)).join('\n--- the other one ---\n');
  }

  async stop(): Promise<void> {
    for (const { api } of this.replicas) await api.kill();
    for (const { door } of this.replicas) await door.close();
    await this.outside.stop();
    await this.postgres.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
