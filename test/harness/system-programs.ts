import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/sandbox/ports.js';
import { ChildExit } from './child-exit.js';
import { programPath } from './jest/programs.mjs';
import { testFolder } from './test-folder.js';

const NOBODY_UID = 65_534;

/** An installed server program (Redis, PgBouncer) on a free port. */
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

  async start(): Promise<void> {
    this.child = this.launch();
    this.end = new ChildExit(this.child);
    while (!(await acceptsConnections(this.port))) {
      if (this.end.reason !== undefined) throw new Error(`the server ended at once: ${this.end.reason}`);
      await sleep(20);
    }
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
