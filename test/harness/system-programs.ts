import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/sandbox/ports.js';
import { ChildExit } from './child-exit.js';
import { programPath } from './programs.mjs';
import { testFolder } from './test-folder.js';

const NOBODY_UID = 65_534;
/** The output of a server, in its folder. */
const LOG_NAME = 'output.log';

/** An installed server program (Redis, PgBouncer, HAProxy, nginx) on a free port. */
export class SystemServer {
  private child!: ChildProcess;
  private end!: ChildExit;

  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly launch: () => ChildProcess,
  ) {}

  private static async startNew(
    port: number,
    folder: string,
    launch: () => ChildProcess,
  ): Promise<SystemServer> {
    const server = new SystemServer(port, folder, launch);
    await server.start();
    return server;
  }

  static async redis(): Promise<SystemServer> {
    const port = await freePort();
    const folder = testFolder('redis');
    const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--dir', folder];
    return SystemServer.startNew(port, folder, () =>
      spawn(programPath('redis') as string, args, { stdio: 'ignore' }),
    );
  }

  /** PgBouncer in transaction mode with at most `serverConnections` connections to the database of `databaseUrl`. */
  static async pgbouncer(databaseUrl: string, serverConnections: number): Promise<SystemServer> {
    const { hostname, port: serverPort, username, password } = new URL(databaseUrl);
    const port = await freePort();
    const folder = testFolder('pgbouncer');
    const file = join(folder, 'pgbouncer.ini');
    const settings = `[databases]
* = host=${hostname} port=${serverPort} user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${serverConnections}
max_client_conn = 300
`;
    writeFileSync(file, settings);
    // PgBouncer refuses to run as root, so the user `nobody` runs it and has to be able to read the folder.
    chmodSync(folder, 0o755);
    const user = process.getuid?.() === 0 ? { uid: NOBODY_UID, gid: NOBODY_UID } : {};
    return SystemServer.startNew(port, folder, () =>
      spawn(programPath('pgbouncer') as string, [file], { stdio: 'ignore', ...user }),
    );
  }

  /** HAProxy or nginx with the file of docker/, in which `replacements` are made: its addresses are those of containers. */
  static async loadBalancer(
    program: 'haproxy' | 'nginx',
    replacements: Readonly<Record<string, string>>,
  ): Promise<SystemServer> {
    const port = await freePort();
    const folder = testFolder(program);
    chmodSync(folder, 0o755); // nginx changes its user
    const name = program === 'nginx' ? 'nginx.conf' : 'haproxy.cfg';
    const file = join(folder, name);
    const addresses = {
      ...replacements,
      ':8080': `127.0.0.1:${port}`,
      'listen 8080': `listen 127.0.0.1:${port}`,
    };
    let text = readFileSync(join('docker', program, name), 'utf8').replaceAll('/tmp/', `${folder}/`);
    for (const [address, replacement] of Object.entries(addresses))
      text = text.replaceAll(address, replacement);
    writeFileSync(file, text);
    // One process each, so that a signal ends it.
    const args =
      program === 'nginx'
        ? ['-c', file, '-e', 'stderr', '-g', 'daemon off; master_process off;']
        : ['-f', file, '-db'];
    const log = openSync(join(folder, LOG_NAME), 'a');
    return SystemServer.startNew(port, folder, () =>
      spawn(programPath(program) as string, args, { stdio: ['ignore', log, log] }),
    );
  }

  async start(): Promise<void> {
    this.child = this.launch();
    this.end = new ChildExit(this.child);
    while (!(await acceptsConnections(this.port))) {
      if (this.end.reason !== undefined)
        throw new Error(`the server ended at once: ${this.end.reason}\n${this.log()}`);
      await sleep(20);
    }
  }

  private log(): string {
    const file = join(this.folder, LOG_NAME);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.child.kill(name);
  }

  async stop(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.end.exitCode;
  }

  /** Stops the server and removes its files. */
  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}
