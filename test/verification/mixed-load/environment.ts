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

const START_ATTEMPTS = 300; // 100 ms apart

/** Settings of the API processes under load. */
export const LOAD_SETTINGS = {
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

/** A system to which users and operators send requests. */
export interface LoadEnvironment {
  readonly outside: OutsideWorld;
  /** The API processes. */
  readonly urls: readonly string[];
  /** The database that accepts writes now, without a proxy. */
  readonly databaseUrl: string;
  /** Ends the faults that may last, and waits until the API processes are ready. */
  waitUntilHealthy(): Promise<void>;
  /** The last output of the API processes. */
  output(): string;
  stop(): Promise<void>;
}

/** Queries the database of the environment directly, on a connection of its own. */
export async function queryDirectly<Row extends pg.QueryResultRow>(
  { databaseUrl }: Pick<LoadEnvironment, 'databaseUrl'>,
  sql: string,
  parameters: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client(databaseUrl);
  client.on('error', () => undefined); // a fault may end the connection; the query then rejects
  await client.connect();
  try {
    return (await client.query<Row>(sql, parameters)).rows;
  } finally {
    await client.end();
  }
}

/** An API process and the proxy between it and the database. */
export interface Replica {
  readonly api: ApiProcess;
  readonly proxy: TcpProxy;
}

/**
 * The system into which faults are injected: a PostgreSQL server with fsync, two API processes with a proxy each, an EVM node
 * and the providers.
 */
export class FaultEnvironment implements LoadEnvironment {
  private constructor(
    private readonly folder: string,
    private readonly postgresFolder: string,
    private postgres: RunningPostgres,
    readonly outside: OutsideWorld,
    readonly replicas: readonly [Replica, Replica],
    /** The API to which the providers send callbacks. */
    private readonly callbackTarget: { url: string },
  ) {}

  static async start(postgresFolder?: string): Promise<FaultEnvironment> {
    const folder = testFolder('mixed-load');
    const dataDir = postgresFolder ?? join(folder, 'postgres');
    const postgres = await startPostgres({ dataDir });
    const databaseUrl = postgres.url(PLATFORM_DATABASE);
    const callbackTarget = { url: '' };
    const outside = await startOutsideWorld({
      dataDir: folder,
      api: callbackTarget,
      blockIntervalMs: 50,
      environment: { DATABASE_URL: databaseUrl },
    });
    const replica = async (): Promise<Replica> => {
      const proxy = await TcpProxy.startFor(databaseUrl);
      const api = await ApiProcess.launch({ ...outside.env, ...LOAD_SETTINGS, DATABASE_URL: proxy.url });
      await api.waitUntilReady(); // in sequence: the first process migrates the database
      return { proxy, api };
    };
    const environment = new FaultEnvironment(
      folder,
      dataDir,
      postgres,
      outside,
      [await replica(), await replica()],
      callbackTarget,
    );
    environment.sendCallbacksTo(0);
    return environment;
  }

  sendCallbacksTo(index: 0 | 1): void {
    this.callbackTarget.url = this.replicas[index].api.url;
  }

  get databaseUrl(): string {
    return this.postgres.url(PLATFORM_DATABASE);
  }

  get urls(): string[] {
    return this.replicas.map(({ api }) => api.url);
  }

  /** Stops PostgreSQL by a signal and restarts it after a pause. */
  async restartDatabase(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL', pauseMs: number): Promise<void> {
    const [pid] = readFileSync(join(this.postgresFolder, 'cluster', 'postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(pid), signal);
    await this.postgres.exited;
    await sleep(pauseMs);
    await this.startDatabase();
  }

  /** Resolves when PostgreSQL has ended for any reason. */
  get databaseEnd(): Promise<number> {
    return this.postgres.exited;
  }

  /** Starts PostgreSQL after its end. */
  async startDatabase(): Promise<void> {
    const { port } = this.postgres;
    for (let attempt = 1; ; attempt++) {
      try {
        this.postgres = await startPostgres({ dataDir: this.postgresFolder, port });
        return;
      } catch (error) {
        // The child processes of a killed postmaster block the start until they have ended.
        const isBlocked = /shared memory|could not bind/.test((error as Error).message);
        if (!isBlocked || attempt === START_ATTEMPTS) throw error;
        await sleep(100);
      }
    }
  }

  /** Ends the faults of the EVM node and of the providers that fail in this run, and waits until the API processes are ready. */
  async waitUntilHealthy(): Promise<void> {
    for (const party of ['deposit', 'custody', 'identity', 'chain'] as const)
      await this.outside.providers.endFault(party);
    for (const { api } of this.replicas) await api.waitUntilReady();
  }

  /** The last output of the API processes, for the error message of a failed run. */
  output(): string {
    return this.replicas.map(({ api }) => api.output.slice(-5000)).join('\n--- second process ---\n');
  }

  async stop(): Promise<void> {
    for (const { api } of this.replicas) await api.kill();
    for (const { proxy } of this.replicas) await proxy.close();
    await this.outside.stop();
    await this.postgres.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
